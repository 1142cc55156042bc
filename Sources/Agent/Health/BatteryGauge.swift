// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// The voltage of the board's battery, from the kernel's power_supply class. Reads small files of sysfs; does not block on a disk.
///
/// Documentation/ABI/testing/sysfs-class-power: `type` is `Battery` for one; `voltage_now` is in microvolts; `scope` `Device` means
/// that of a mouse or a headset; `present` 0 means a bay without one.
struct BatteryGauge: Sendable {
    /// `/sys`, or a tree of the same form.
    var root = "/sys"

    /// Volts; nil on a board that runs from the mains, or that does not tell.
    var volts: Double? {
        for name in names {
            let supply = "\(root)/class/power_supply/\(name)"
            guard text(supply + "/type") == "Battery", text(supply + "/scope") != "Device",
                text(supply + "/present") != "0",
                let microvolts = text(supply + "/voltage_now").flatMap({ Double($0) }), microvolts > 0
            else { continue }
            return microvolts / 1e6
        }
        return nil
    }

    private var names: [String] {
        FolderListing.readable("\(root)/class/power_supply").filter { !$0.hasPrefix(".") }
    }

    private func text(_ path: String) -> String? { (try? BoundedFile.text(path))?.trimmed }
}
