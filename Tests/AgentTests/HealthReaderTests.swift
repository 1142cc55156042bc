// SPDX-License-Identifier: Apache-2.0
import Base
import Foundation
import Testing

@testable import Agent

/// Trees as the kernel documents them: drivers/firmware/raspberrypi.c (get_throttled, "%x\n"),
/// drivers/hwmon/raspberrypi-hwmon.c (rpi_volt, in0_lcrit_alarm),
/// Documentation/ABI/testing/sysfs-class-thermal (millidegrees), drivers/mmc/core/mmc.c (life_time,
/// pre_eol_info), fs/ext4/sysfs.c (errors_count "%u\n"); the meaning of the bits is the Raspberry
/// Pi documentation's table of `vcgencmd get_throttled`.
@Suite struct HealthReaderTests {
    private static func pi(_ firmware: String = "devices/platform/soc/soc:firmware") throws -> SysfsTree {
        let tree = try SysfsTree()
        tree["\(firmware)/get_throttled"] = "0\n"
        tree["class/hwmon/hwmon0/name"] = "cpu_thermal\n"
        tree["class/hwmon/hwmon1/name"] = "rpi_volt\n"
        tree["class/hwmon/hwmon1/in0_lcrit_alarm"] = "0\n"
        tree["class/thermal/thermal_zone0/type"] = "cpu-thermal\n"
        tree["class/thermal/thermal_zone0/temp"] = "51540\n"
        tree["class/thermal/cooling_device0/cur_state"] = "0\n"
        tree["block/mmcblk0/device/name"] = "SC32G\n"
        tree["fs/ext4/mmcblk0p2/errors_count"] = "0\n"
        tree["dev/block/\(try disk(of: tree.path))/uevent"] =
            "MAJOR=179\nMINOR=2\nDEVNAME=mmcblk0p2\nDEVTYPE=partition\n"
        tree["fs/ext4/features/lazy_itable_init"] = "supported\n"
        return tree
    }

    /// As /proc/self/mountinfo has it (proc(5), its third field), and not by our own arithmetic.
    private static func disk(of path: String) throws -> String {
        let text = try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
        let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let mounts = text.split(separator: "\n").map { $0.split(separator: " ") }.filter { fields in
            let point = String(fields[4])
            return point == "/" || resolved == point || resolved.hasPrefix(point + "/")
        }
        return String(try #require(mounts.max { $0[4].count <= $1[4].count })[2])
    }

    /// A stick with a damaged file system that somebody plugged in is nothing that studyd
    /// keeps anything on.
    @Test func errorsOfADiskThatIsNotUsedAreNotOurs() throws {
        let tree = try Self.pi()
        tree["fs/ext4/sda1/errors_count"] = "12\n"
        tree["dev/block/8:1/uevent"] = "MAJOR=8\nMINOR=1\nDEVNAME=sda1\n"
        #expect(HealthReader(root: tree.path, folder: tree.path).reading.fileSystemErrors == ["mmcblk0p2": 0])
        tree["fs/ext4/mmcblk0p2/errors_count"] = "3\n"
        #expect(HealthReader(root: tree.path, folder: tree.path).reading.fileSystemErrors == ["mmcblk0p2": 3])
    }

    @Test(arguments: [
        "devices/platform/soc/soc:firmware", "devices/platform/soc@107c000000/soc@107c000000:firmware",
        "devices/platform/soc:firmware",
    ])
    func aHealthyBoardSaysNothingButItsTemperature(firmware: String) throws {
        let tree = try Self.pi(firmware)
        let reader = HealthReader(root: tree.path, folder: tree.path)
        let reading = reader.reading
        #expect(reading.throttled == 0 && reading.lowVoltageAlarm == false && reading.temperature == 51.54)
        #expect(reading.life == nil && reading.worn.isEmpty && reading.fileSystemErrors == ["mmcblk0p2": 0])
        #expect(reader.announcing.count == 2)
        var health = DeviceHealth()
        #expect(health.record(reading, at: .zero).isEmpty && health.faults.isEmpty)
        #expect(health.line == "52 °C; power good")
    }

    /// The documentation's own example: 0x50000 = 0101 0000 0000 0000 0000: bits 18 and 16 are set.
    @Test(arguments: [
        ("50000", [DeviceHealth.Trouble.underVoltage, .throttled]), ("50005", [.underVoltage, .throttled]),
        ("1", [.underVoltage]),
        ("2", [.capped]), ("4", [.throttled]), ("80008", [.softLimit]), ("e0000", [.capped, .throttled, .softLimit]),
        ("0", []),
    ])
    func theFirmwaresBits(text: String, expected: [DeviceHealth.Trouble]) throws {
        let tree = try Self.pi()
        tree["devices/platform/soc/soc:firmware/get_throttled"] = text + "\n"
        var health = DeviceHealth()
        let told = health.record(HealthReader(root: tree.path, folder: tree.path).reading, at: .zero)
        #expect(Set(health.present.keys) == Set(expected) && told.count == expected.count)
        #expect(health.faults.allSatisfy { $0.description.count > 20 })
    }

    @Test func anAlarmIsToldOnceCountedEachTimeAndOverWithIt() throws {
        let tree = try Self.pi()
        let reader = HealthReader(root: tree.path, folder: tree.path)
        var health = DeviceHealth()
        var now = MonotonicTime.zero
        for round in 1...3 {
            tree["class/hwmon/hwmon1/in0_lcrit_alarm"] = "1\n"
            #expect(health.record(reader.reading, at: now).map(\.place) == ["power"])
            #expect(health.record(reader.reading, at: now).isEmpty && health.faults.count == 1)
            tree["class/hwmon/hwmon1/in0_lcrit_alarm"] = "0\n"
            now = now + .seconds(60)
            #expect(health.record(reader.reading, at: now).isEmpty && health.faults.isEmpty)
            #expect(health.counts == [.underVoltage: round])
        }
        #expect(health.json.text.contains("\"underVoltage\":3") && health.line?.contains("3 × underVoltage") == true)
    }

    /// Each peak of the load lets the voltage drop for a moment.
    @Test(arguments: [UInt32(0x5_0005), 0x5_0000, 0xF])
    func aTroubleOfTheFirmwareIsOverWhenItWasNotSeenForAMinute(bits: UInt32) {
        var (seen, unseen) = (DeviceHealth.Reading(), DeviceHealth.Reading())
        (seen.throttled, unseen.throttled) = (bits, 0)
        var health = DeviceHealth()
        func record(_ reading: DeviceHealth.Reading, _ milliseconds: Int64) -> Int {
            health.record(reading, at: MonotonicTime.zero + .milliseconds(milliseconds)).count
        }
        let begun = record(seen, 0)
        #expect(begun >= 2 && health.faults.count == begun)
        for peak in Int64(1)...5 {
            #expect(record(unseen, peak * 59_999 - 1) == 0 && health.faults.count == begun)
            #expect(record(seen, peak * 59_999) == 0 && health.faults.count == begun)
        }
        #expect(record(unseen, 5 * 59_999 + 59_999) == 0 && health.faults.count == begun)
        #expect(record(unseen, 5 * 59_999 + 60_000) == 0 && health.faults.isEmpty)
        #expect(health.counts.values.allSatisfy { $0 == 1 })
    }

    @Test func heatHasAMargin() throws {
        let tree = try Self.pi()
        let reader = HealthReader(root: tree.path, folder: tree.path)
        var health = DeviceHealth()
        var told = 0
        for temperature in [79_900, 80_500, 79_900, 80_100, 76_000, 74_900, 79_000, 81_000] {
            tree["class/thermal/thermal_zone0/temp"] = "\(temperature)\n"
            told += health.record(reader.reading, at: .zero).count
        }
        #expect(told == 2 && health.counts == [.hot: 2])
    }

    /// JESD84-B51: pre_eol_info 1 normal, 2 warning, 3 urgent; a life of 0x0B is beyond what was
    /// stated, 0 is not told.
    @Test(
        arguments: [
            ("0x01 0x01", "0x01", 0.1, false), ("0x05 0x09", "0x01", 0.9, false), ("0x0b 0x02", "0x01", 1.1, true),
            ("0x02 0x02", "0x02", 0.2, true), ("0x02 0x02", "0x03", 0.2, true), ("0x00 0x00", "0x00", nil, false),
        ] as [(String, String, Double?, Bool)])
    func aChipThatTellsItsAge(life: String, reserve: String, used: Double?, isWorn: Bool) throws {
        let tree = try Self.pi()
        tree["block/mmcblk0/device/life_time"] = life + "\n"
        tree["block/mmcblk0/device/pre_eol_info"] = reserve + "\n"
        let reading = HealthReader(root: tree.path, folder: tree.path).reading
        var health = DeviceHealth()
        #expect(reading.life == used && health.record(reading, at: .zero).map(\.place) == (isWorn ? ["disk"] : []))
    }

    @Test func damageIsToldEachTimeItGrowsAndAReadOnlyDiskOnce() throws {
        let tree = try Self.pi()
        var health = DeviceHealth()
        for count in [0, 1, 1, 4] {
            tree["fs/ext4/mmcblk0p2/errors_count"] = "\(count)\n"
            _ = health.record(HealthReader(root: tree.path, folder: tree.path).reading, at: .zero)
        }
        #expect(health.counts == [.damaged: 2] && health.faults.first?.description.contains("4 on mmcblk0p2") == true)
        // proc(5): /proc/sys of a container, or /sys itself, is a read-only file system; else the
        // flag is set by hand.
        var reading = HealthReader(root: tree.path, folder: tree.path).reading
        #expect(!reading.isReadOnly)
        reading.isReadOnly = true
        #expect(
            health.record(reading, at: .zero).count == 1 && health.record(reading, at: .zero).isEmpty
                && health.counts[.readOnly] == 1)
    }

    @Test func aMachineThatTellsNothingHasNoLine() throws {
        let tree = try SysfsTree()
        var health = DeviceHealth()
        #expect(
            health.record(HealthReader(root: tree.path, folder: tree.path).reading, at: .zero).isEmpty
                && health.line == nil)
    }
}
