// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Glibc
import SystemKit
import Testing

@testable import Device

private func atSecond(_ seconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: seconds * 1_000_000_000) }

/// A clock that stands where it is put.
private final class SetClock: StudyClock {
    private let state = WantedState(MonotonicTime.zero)
    var now: Instant { .epoch }
    var monotonic: MonotonicTime { state.value }
    var marks: ClockMarks { ClockMarks() }
    func set(_ time: MonotonicTime) { state.value = time }
    func sleep(until deadline: MonotonicTime) async throws {}
}

/// Becomes somebody else for the calls of this thread on files (setfsuid(2)): root's own powers
/// over files go with it.
private func asUnprivilegedUser<Value>(_ body: () throws -> Value) throws -> Value {
    let call = try MockedKernel.function("setfsuid", (@convention(c) (uid_t) -> CInt).self)
    _ = call(65534)
    defer { _ = call(0) }
    return try body()
}

@Suite struct AwaitedPartTests {
    @Test func aMissingPartIsLookedForEverMoreRarelyAndCountedOnce() {
        let part = AwaitedPart<Int>("light[0]", at: .zero) {
            throw SystemError(code: ENOENT, operation: "open", place: "/x")
        }
        #expect(part.due == .zero && part.fault == nil)
        var looks: [Int64] = []
        for second in 0...200 where part.due.map({ $0 <= atSecond(Int64(second)) }) ?? false {
            let isNews = part.poll(at: atSecond(Int64(second)))
            #expect(isNews == (second == 0))
            looks.append(Int64(second))
        }
        #expect(looks == [0, 1, 3, 7, 15, 31, 63, 123, 183])
        #expect(part.absences == 1 && part.fault?.description.contains("/x") == true && part.device == nil)
    }

    /// leds-class.rst of the kernel: `brightness`, `max_brightness`, `trigger` in a folder
    /// of the LED's name.
    @Test func aLightThatComesShowsWhatItWasAskedMeanwhileAndOneThatGoesIsLookedForAgain() throws {
        let tree = try TreeOfFolders()
        let clock = SetClock()
        let path = tree.path + "/leds/status"
        let light = AwaitedIndicator("light[0]", isColoured: false, clock: clock) { try SysfsLED(directory: path) }
        #expect(light.part.poll(at: clock.monotonic))
        #expect(light.part.fault?.description.contains("leds/status") == true)
        try light.show(LightColour(red: 255, green: 255, blue: 255))  // the part is not there yet, which ends nothing
        try tree.add("leds/status/max_brightness", "255")
        try tree.add("leds/status/brightness", "0")
        #expect(!light.part.poll(at: clock.monotonic))
        clock.set(atSecond(1))
        #expect(light.part.poll(at: clock.monotonic) && light.part.fault == nil && light.part.due == nil)
        #expect(String(decoding: try contents(path + "/brightness"), as: UTF8.self) == "255\n")

        unlink(path + "/brightness")
        #expect(throws: SystemError.self) { try light.show(.off) }
        #expect(light.part.absences == 2 && light.part.fault != nil && light.part.due == atSecond(2))
        try light.show(.off)
        try tree.add("leds/status/brightness", "7")
        clock.set(atSecond(2))
        #expect(light.part.poll(at: clock.monotonic) && light.part.fault == nil)
        #expect(String(decoding: try contents(path + "/brightness"), as: UTF8.self) == "0\n")
    }

    @Test func aFrequencyThatADriverRefusesIsNoAbsence() throws {
        struct Picky: Buzzer {
            let hasPitch = true
            func tone(frequency: Double?) throws(SystemError) {
                if frequency != nil { throw SystemError(code: EINVAL, operation: "write to", place: "period") }
            }
            func close() {}
        }
        let clock = SetClock()
        let buzzer = AwaitedBuzzer("buzzer", hasPitch: true, clock: clock) { Picky() }
        buzzer.part.poll(at: .zero)
        #expect(throws: SystemError.self) { try buzzer.tone(frequency: 440) }
        #expect(buzzer.part.fault == nil && buzzer.part.absences == 0)
    }

    /// A buzzer that another thread silences in the moment in which it comes.
    @Test func whatIsWantedWhileAPartComesIsWhatItDoes() throws {
        final class Silenced: Buzzer, Sendable {
            let hasPitch = true
            let orders = WantedState<[Double?]>([])
            let meanwhile = WantedState<(@Sendable () -> Void)?>(nil)
            func tone(frequency: Double?) throws(SystemError) {
                orders.value.append(frequency)
                meanwhile.value?()
            }
            func close() {}
        }
        let device = Silenced()
        let buzzer = AwaitedBuzzer("buzzer", hasPitch: true, clock: SetClock()) { device }
        try buzzer.tone(frequency: 440)
        device.meanwhile.value = {
            device.meanwhile.value = nil
            #expect(throws: Never.self) { try buzzer.tone(frequency: nil) }
        }
        buzzer.part.poll(at: .zero)
        #expect(device.orders.value.first == 440 && device.orders.value.last == .some(nil))
    }

    /// drivers/pwm/sysfs.c of the kernel: pwm_export_child makes the files, root's own, and then
    /// says KOBJ_CHANGE of the chip, which udev answers with chgrp and chmod, some time later.
    @Test(.timeLimit(.minutes(10))) func aChannelThatWasJustExportedIsWaitedForUntilUdevHasGivenItToItsGroup() throws {
        guard geteuid() == 0 else { return print("SKIPPED: only root can be refused as somebody else") }
        let tree = try TreeOfFolders([("pwmchip0/export", "")])
        chmod(tree.path, 0o755)
        chmod(tree.path + "/pwmchip0", 0o755)
        chmod(tree.path + "/pwmchip0/export", 0o666)
        let path = tree.path + "/pwmchip0/pwm0"
        let files = ["period", "duty_cycle", "enable"]
        for name in files { try tree.add("pwmchip0/pwm0/\(name)", "0") }
        chmod(path, 0o755)
        func open(_ patience: Duration) throws -> SysfsPWMBuzzer {
            try asUnprivilegedUser { try SysfsPWMBuzzer(directory: path, patience: patience) }
        }
        for name in files { chmod("\(path)/\(name)", 0o644) }
        let refusal = #expect(throws: SystemError.self) { _ = try open(.milliseconds(60)) }
        #expect(refusal?.code == EACCES)
        let udev = try NamedThread(name: "udev") {
            for name in files {
                _ = poll(nil, 0, 60)
                chmod("\(path)/\(name)", 0o666)
            }
        }
        let buzzer = try open(.seconds(60))
        try asUnprivilegedUser { try buzzer.tone(frequency: 1000) }
        #expect(String(decoding: try contents(path + "/period"), as: UTF8.self) == "1000000\n")
        udev.join()
    }

    @Test func permissionsThatComeLaterAreEnough() throws {
        guard geteuid() == 0 else { return print("SKIPPED: only root can be refused as somebody else") }
        let tree = try TreeOfFolders([("leds/status/max_brightness", "255"), ("leds/status/brightness", "0")])
        for folder in ["", "/leds", "/leds/status"] { chmod(tree.path + folder, 0o755) }
        let path = tree.path + "/leds/status"
        chmod(path + "/brightness", 0o644)
        chmod(path + "/max_brightness", 0o644)
        let clock = SetClock()
        let light = AwaitedIndicator("light[0]", isColoured: false, clock: clock) { try SysfsLED(directory: path) }
        try asUnprivilegedUser { _ = light.part.poll(at: clock.monotonic) }
        #expect(light.part.fault?.description.contains("Permission denied") == true)
        chmod(path + "/brightness", 0o666)
        clock.set(atSecond(1))
        try asUnprivilegedUser { _ = light.part.poll(at: clock.monotonic) }
        #expect(light.part.fault == nil && light.part.absences == 1)
        try asUnprivilegedUser { try light.show(LightColour(red: 255, green: 255, blue: 255)) }
        #expect(String(decoding: try contents(path + "/brightness"), as: UTF8.self) == "255\n")
    }
}
