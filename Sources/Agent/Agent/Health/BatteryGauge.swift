// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// The voltage and charge of the board's battery, from the kernel's power_supply class: for recordings, reports and
/// questions about the battery. Reads small files of sysfs; does not block on a disk.
///
/// Documentation/ABI/testing/sysfs-class-power: `type` is `Battery` for one; `voltage_now` is
/// in microvolts; `scope` `Device` means that of a mouse or a headset; `present` 0 means a
/// bay without one.
struct BatteryGauge: Sendable {
    /// `status`, as the kernel spells it (power_supply_sysfs.c).
    enum Status: String, Sendable, CaseIterable {
        case unknown = "Unknown"
        case charging = "Charging"
        case discharging = "Discharging"
        /// Plugged in all the same.
        case notCharging = "Not charging"
        case full = "Full"
    }

    struct Charge: Sendable, Hashable {
        /// 0 to 100.
        let percent: Double
        let status: Status
        var isCharging: Bool { status == .charging || status == .full }
    }

    /// `/sys`, or a tree of the same form.
    var root = "/sys"

    /// Volts; nil on a board that runs from the mains, or that does not tell.
    var volts: Double? {
        batteries.lazy.compactMap { text($0 + "/voltage_now").flatMap { Double($0) } }.first { $0 > 0 }.map { $0 / 1e6 }
    }

    /// How full it is (`capacity`), and its `status`, unknown where it has none; nil as above.
    var charge: Charge? {
        for supply in batteries {
            guard let percent = text(supply + "/capacity").flatMap({ Double($0) }), (0...100).contains(percent) else {
                continue
            }
            return Charge(
                percent: percent, status: text(supply + "/status").flatMap(Status.init(rawValue:)) ?? .unknown)
        }
        return nil
    }

    private var batteries: [String] {
        let folder = "\(root)/class/power_supply"
        return HealthReader.names(folder).map { "\(folder)/\($0)" }.filter {
            text($0 + "/type") == "Battery" && text($0 + "/scope") != "Device" && text($0 + "/present") != "0"
        }
    }

    private func text(_ path: String) -> String? { HealthReader.text(path) }
}
