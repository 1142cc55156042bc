// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import Testing

@testable import SystemKit

/// A refusal names the group that really has the device: systemd's own rules and ours, read here by
/// a small reader of udev's language, decide; the unit and the user's groups must contain it.
@Suite struct DeviceGroupTests {
    private static let package = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    private static func text(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Of rules.d/50-udev-default.rules.in of systemd (v252 of Debian 12 and v257 of Debian 13):
    /// the lines that give our devices a group.
    private static let defaults = """
        KERNEL=="tty[A-Z]*[0-9]|ttymxc[0-9]*|pppox[0-9]*|ircomm[0-9]*|noz[0-9]*|rfcomm[0-9]*", GROUP="dialout"
        SUBSYSTEM=="input", GROUP="input"
        SUBSYSTEM=="graphics", GROUP="video"
        SUBSYSTEM=="sound", GROUP="audio", OPTIONS+="static_node=snd/seq", OPTIONS+="static_node=snd/timer"
        """

    private static let ours = text(package + "/udev/70-studyd.rules")

    /// Subsystem and name of the kernel, and the path under which people and board files know it.
    static let devices: [(subsystem: String, kernel: String, path: String)] = [
        ("graphics", "fb0", "/dev/fb1"), ("input", "event3", "/dev/input/event3"),
        ("sound", "pcmC0D0c", "/dev/snd/pcmC0D0c"), ("i2c-dev", "i2c-1", "/dev/i2c-1"),
        ("gpio", "gpiochip0", "/dev/gpiochip0"), ("iio", "iio:device0", "/dev/iio:device0"),
        ("iio", "iio:device0", "/sys/bus/iio/devices/iio:device0/buffer/enable"),
        ("leds", "status", "/sys/class/leds/status/trigger"),
        ("pwm", "pwmchip0", "/sys/class/pwm/pwmchip0/pwm0/enable"), ("tty", "ttyAMA0", "/dev/ttyAMA0"),
        ("tty", "ttyS0", "/dev/ttyS0"), ("tty", "ttyUSB2", "/dev/ttyUSB2"), ("tty", "ttyACM0", "/dev/ttyACM0"),
    ]

    /// What udev would do: the last rule that fits gives the group, `chgrp` that of the
    /// folder in sysfs.
    private static func group(_ subsystem: String, _ kernel: String, isFolder: Bool) -> String? {
        var group: String?
        for rule in (defaults + "\n" + ours).split(separator: "\n") where !rule.hasPrefix("#") {
            func values(_ key: String) -> [String] {
                rule.split(separator: "\"").adjacent().filter { left, _ in
                    left.hasSuffix("\(key)==") || left.hasSuffix(" \(key)=") || left.hasSuffix("\(key)+=")
                }.map { String($1) }
            }
            let fits: (String, String) -> Bool = { key, name in
                values(key).allSatisfy { $0.split(separator: "|").contains { fnmatch(String($0), name, 0) == 0 } }
            }
            guard fits("SUBSYSTEM", subsystem), fits("KERNEL", kernel) else { continue }
            if isFolder {
                for command in values("RUN") where command.hasPrefix("/bin/chgrp -R ") && command.hasSuffix(" /sys%p") {
                    group = String(command.split(separator: " ")[2])
                }
            } else if !rule.contains("ATTR{"), let value = values("GROUP").last {
                group = value
            }
        }
        return group
    }

    @Test(arguments: devices) func theGroupThatIsNamedIsTheOneThatUdevGives(
        _ device: (subsystem: String, kernel: String, path: String)
    ) throws {
        let given = Self.group(device.subsystem, device.kernel, isFolder: device.path.hasPrefix("/sys/"))
        let group = try #require(given, "no rule gives \(device.path) to a group")
        #expect(DeviceGroup.of(device.path) == group)
        let words = "\(SystemError(code: EACCES, operation: "open", place: device.path))"
        #expect(words.contains("needs the group \(group) "), "\(words)")
        // What the unit and the package's user have.
        let unit = Self.text(Self.package + "/systemd/studyd.service")
        let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("SupplementaryGroups=") })
        #expect(line.split(separator: "=")[1].split(separator: " ").contains { $0 == group })
        #expect(Self.text(Self.package + "/systemd/studyd.sysusers").contains("\nm studyd \(group)\n"))
    }

    /// Where systemd is installed its own file is asked.
    @Test func theDefaultRulesOfThisMachineAreThoseOfTheTable() {
        let installed = Self.text("/usr/lib/udev/rules.d/50-udev-default.rules")
        guard !installed.isEmpty else { return print("SKIPPED: systemd's udev rules are not installed here") }
        for line in Self.defaults.split(separator: "\n") {
            let rule = line.split(separator: ", OPTIONS").first ?? line
            #expect(installed.contains(rule), "\(rule)")
        }
    }

    /// The real udev reads our file without complaint, and would open what sets a kernel's sensor
    /// up and an exported PWM channel.
    @Test(.timeLimit(.minutes(10))) func theRealUdevOpensTheFoldersOfSensorsAndChannels() throws {
        let check = "command -v udevadm >/dev/null && command -v umockdev-run >/dev/null && unshare -m true 2>/dev/null"
        guard Self.shell(check).status == 0 else {
            return print("SKIPPED: udevadm and umockdev are not here, or mounts are not allowed")
        }
        let (status, output) = Self.shell(
            "'\(Self.package)/Tests/mocks/udev-rules' '\(Self.package)/udev/70-studyd.rules'")
        #expect(status == 0, "\(output)")
        let complaints = output.split(separator: "\n").filter {
            $0.hasPrefix("/run/udev/rules.d/70-studyd.rules:")
        }
        #expect(complaints.isEmpty, "\(complaints)")
        for folder in ["soc/i2c-1/1-0018/iio:device0", "soc/fe20c000.pwm/pwm/pwmchip0"] {
            for command in ["chgrp -R gpio", "chmod -R g=u"] {
                let wanted = "run: '/bin/\(command) /sys/devices/platform/\(folder)'"
                #expect(output.split(separator: "\n").count { $0 == wanted } == 2, "\(wanted)\n\(output)")
            }
        }
    }

    private static func shell(_ command: String) -> (status: CInt, output: String) {
        guard let pipe = popen("{ \(command); } 2>&1", "r") else { return (-1, "no shell") }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 { output += buffer.prefix(count) }
        return (pclose(pipe), String(decoding: output, as: UTF8.self))
    }
}

extension Array {
    /// Each element with the one after it.
    fileprivate func adjacent() -> [(Element, Element)] { zip(self, dropFirst()).map { ($0, $1) } }
}
