// SPDX-License-Identifier: Apache-2.0
import SystemKit

/// How bright it is, from a light sensor of the kernel, for a question that asks it (`DeviceReadings`). Reads small
/// files of sysfs.
///
/// Documentation/ABI/testing/sysfs-bus-iio: `in_illuminance_input` is in lux; `in_illuminance_raw` becomes lux
/// as (raw + offset) * scale. Drivers with several channels number them: `in_illuminance0_input`.
struct LightGauge: Sendable {
    /// `/sys`, or a tree of the same form.
    var root = "/sys"

    /// Nil where there is no sensor, or it does not tell.
    var lux: Double? {
        for name in FolderListing.readable("\(root)/bus/iio/devices").sorted() {
            let device = "\(root)/bus/iio/devices/\(name)/in_illuminance"
            for prefix in [device, device + "0"] {
                if let lux = number(prefix + "_input") { return lux }
                if let raw = number(prefix + "_raw") {
                    return (raw + (number(prefix + "_offset") ?? 0)) * (number(prefix + "_scale") ?? 1)
                }
            }
        }
        return nil
    }

    private func number(_ path: String) -> Double? { HealthReader.text(path).flatMap { Double($0) } }
}
