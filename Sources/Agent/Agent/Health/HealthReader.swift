// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// Reads for `HealthWatch` how the device is doing: small files of the kernel's sysfs. Does not block on a disk.
struct HealthReader: Sendable {
    /// `/sys`, or a tree of the same form.
    var root = "/sys"
    /// The state folder; its disk is checked.
    let folder: String

    /// JESD84-B51, EXT_CSD DEVICE_LIFE_TIME_EST_TYP_A and _B: 0x01 = up to 10 % … 0x0A = up to 100
    /// %, 0x0B = beyond; 0 = not reported.
    private static let lifeSteps = 10.0

    var reading: DeviceHealth.Reading {
        var reading = DeviceHealth.Reading()
        reading.throttled = throttledFile.flatMap { Self.text($0) }.flatMap { UInt32($0, radix: 16) }
        reading.lowVoltageAlarm = alarmFile.flatMap { Self.text($0) }.map { $0 != "0" }
        reading.temperature = temperatures.max()
        cards(&reading)
        for name in usedDisks {
            if let count = Self.text("\(root)/fs/ext4/\(name)/errors_count").flatMap({ Int($0) }) {
                reading.fileSystemErrors[name] = count
            }
        }
        var info = statvfs()
        reading.isReadOnly = statvfs(folder, &info) == 0 && info.f_flag & UInt(ST_RDONLY) != 0
        return reading
    }

    /// The kernel's names for the disks of the state folder and of the running system. A USB stick
    /// that was plugged in is not ours.
    private var usedDisks: Set<String> {
        Set(
            [folder, "/"].compactMap { path -> String? in
                var status = stat()
                guard stat(path, &status) == 0 else { return nil }
                let lines =
                    Self.text("\(root)/dev/block/\(Self.majorMinor(status.st_dev))/uevent")?.split(separator: "\n")
                    ?? []
                return lines.first { $0.hasPrefix("DEVNAME=") }.map { String($0.dropFirst(8)) }
            })
    }

    /// `179:2`, by glibc's sys/sysmacros.h.
    static func majorMinor(_ device: dev_t) -> String {
        let (major, minor) = (device >> 8 & 0xfff | device >> 32 & ~0xfff, device & 0xff | device >> 12 & ~0xff)
        return "\(major):\(minor)"
    }

    /// Files that tell of a change by POLLPRI (`sysfs_notify` in drivers/hwmon/raspberrypi-hwmon.c
    /// and drivers/firmware/raspberrypi.c).
    var announcing: [String] { [throttledFile, alarmFile].compactMap { $0 } }

    /// drivers/firmware/raspberrypi.c: "%x\n", on the platform device `soc…:firmware`, which hangs
    /// below `soc` or beside it.
    private var throttledFile: String? {
        for soc in Self.names("\(root)/devices/platform") where soc.hasPrefix("soc") {
            let folder = "\(root)/devices/platform/\(soc)"
            let places = [folder] + Self.names(folder).filter { $0.hasSuffix("firmware") }.map { "\(folder)/\($0)" }
            if let found = places.map({ $0 + "/get_throttled" }).first(where: { access($0, R_OK) == 0 }) {
                return found
            }
        }
        return nil
    }

    /// drivers/hwmon/raspberrypi-hwmon.c: the hwmon device of the name `rpi_volt`.
    private var alarmFile: String? {
        Self.names("\(root)/class/hwmon").map { "\(root)/class/hwmon/\($0)" }
            .first { Self.text($0 + "/name") == "rpi_volt" }.map { $0 + "/in0_lcrit_alarm" }
    }

    /// Documentation/ABI/testing/sysfs-class-thermal: millidegrees Celsius.
    private var temperatures: [Double] {
        Self.names("\(root)/class/thermal").filter { $0.hasPrefix("thermal_zone") }
            .compactMap { Self.text("\(root)/class/thermal/\($0)/temp").flatMap { Double($0) } }
            .map { $0 / 1000 }.filter { $0 > -50 && $0 < 200 }
    }

    /// drivers/mmc/core/mmc.c: `life_time` "0x%02x 0x%02x\n", `pre_eol_info` "0x%02x\n"
    /// (JESD84-B51: 1 normal, 2 warning: 80 % of the reserve used, 3 urgent). An eMMC of version 5
    /// tells, an SD card does not.
    private func cards(_ reading: inout DeviceHealth.Reading) {
        for name in Self.names("\(root)/block") where name.hasPrefix("mmcblk") {
            let device = "\(root)/block/\(name)/device"
            let lives = Self.numbers(Self.text(device + "/life_time"))
            if let life = lives.filter({ $0 > 0 }).max() {
                reading.life = max(reading.life ?? 0, Double(min(life, 11)) / Self.lifeSteps)
                if life >= 0x0B { reading.worn.append("\(name) is past its rated life") }
            }
            switch Self.numbers(Self.text(device + "/pre_eol_info")).first {
            case 2: reading.worn.append("\(name) has used 80 % of its reserve")
            case 3: reading.worn.append("\(name) has used up its reserve")
            default: break
            }
        }
    }

    private static func numbers(_ text: String?) -> [Int] {
        (text ?? "").split(separator: " ").compactMap { $0.hasPrefix("0x") ? Int($0.dropFirst(2), radix: 16) : nil }
    }

    /// A file of sysfs without its line feed; nil where there is none.
    static func text(_ path: String) -> String? { (try? BoundedFile.text(path))?.trimmed }

    static func names(_ path: String) -> [String] { FolderListing.readable(path).filter { !$0.hasPrefix(".") } }
}
