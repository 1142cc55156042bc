// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

/// What the unit leaves open to the service, by systemd's own judgement, and that it leaves open
/// every kind of device that a board can have.
@Suite struct UnitHardeningTests {
    private static let path = Programs.package + "/systemd/studyd.service"
    private static let unit = UnitFilter([Files.text(path)], sets: [:]).settings

    private static func hasAnalyst() -> Bool {
        if access("/usr/bin/systemd-analyze", X_OK) == 0 { return true }
        print("SKIPPED: how far the unit is hardened is not judged, because systemd-analyze is not there")
        return false
    }

    /// systemd-analyze(1): `security --offline --threshold=20` fails where the exposure is
    /// above 2.0 of 10.
    @Test(.enabled(if: hasAnalyst()), arguments: ["studyd", "study-receiver"])
    func exposureIsAtMostTwo(unit: String) async throws {
        try await Stage.with { stage in
            let analyst = try stage.start([
                "/usr/bin/systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager",
                Programs.package + "/systemd/\(unit).service",
            ])
            let code = try await analyst.ended()
            #expect(analyst.output.contains("Overall exposure level") && code == 0, "\(analyst.output)")
        }
    }

    /// Linux, Documentation/admin-guide/devices.txt. By number, since a name is looked up once, in
    /// the /proc/devices of the unit's start: what is plugged in afterwards would be denied
    /// (systemd's src/core/bpf-devices.c takes both).
    @Test(arguments: [
        (4, "/dev/ttyS0"), (204, "/dev/ttyAMA0"), (207, "/dev/ttymxc0"), (166, "/dev/ttyACM0"), (188, "/dev/ttyUSB0"),
        (13, "/dev/input/event0"), (29, "/dev/fb0"), (89, "/dev/i2c-1"), (116, "/dev/snd/pcmC0D0c"),
    ])
    func deviceThatComesLaterIsAllowed(major: Int, device: String) {
        #expect(Self.unit["DeviceAllow"]?.contains("char-\(major) rw") == true, "\(device)")
        #expect(Self.unit["DevicePolicy"] == ["closed"])
    }

    /// The kernel gives these new numbers at each boot (alloc_chrdev_region): gpiolib as it starts,
    /// Industrial I/O when its module comes.
    @Test func deviceWithoutAFixedNumberIsAllowedByAName() {
        #expect(Set(Self.unit["DeviceAllow"] ?? []).isSuperset(of: ["char-gpiochip rw", "char-iio rw"]))
        for order in ["Wants", "After"] {
            #expect(Self.unit[order]?.contains { $0.contains("modprobe@industrialio.service") } == true)
        }
    }

    /// systemd.service(5), `OOMPolicy=`, whose default is `stop` (systemd v252.31, src/core/main.c:2448): a program that the
    /// service started and the kernel's OOM killer ended would take the service along.
    @Test(arguments: ["studyd", "study-receiver"]) func killedHelperDoesNotEndTheService(unit: String) {
        let text = Files.text(Programs.package + "/systemd/\(unit).service")
        #expect(UnitFilter([text], sets: [:]).settings["OOMPolicy"] == ["continue"])
    }

    /// proc(5), `subset=pid`: /proc/sys/kernel/random/boot_id is not there; without an id each boot
    /// would look like the one before.
    @Test func serviceThatDoesNotSeeTheBootsIDIsTold() {
        #expect(Self.unit["ProcSubset"] == ["pid"] && Self.unit["Environment"]?.contains("STUDYD_BOOT_ID=%b") == true)
    }
}
