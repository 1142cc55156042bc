// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Simulation
import SystemKit
import Testing

@testable import Agent

private let boardText = """
    name = "bench"
    [[chip]]
    type = "IIO"
    device = "lis3dh"
    [[chip]]
    type = "IIO"
    device = "absent"
    [[button]]
    name = "only"
    device = "/dev/input/event0"
    code = 28
    [buzzer]
    device = "/dev/gpiochip0:4"
    """

/// Made for its thread.
private struct KernelDevice: Sendable {
    let clock = SystemClock()

    /// A device at rest with some noise, served by a separate thread, and where it is to be looked
    /// for.
    func thread(rate: Double = 100) throws -> (SteppedThread, IIODevice.Root) {
        let still: Signal = { SIMD3(Double($0.nanoseconds / 1000 % 7) * 0.01, 0, 9.80665) }
        var model = SimulatedIIODevice.Model(
            name: "lis3dh", sensors: [.init(kind: "accel", scale: 0.00980665, signal: still)])
        model.rate = rate
        let device = try SimulatedIIODevice(model, start: clock.monotonic)
        let root = device.root
        return (try SteppedThread(device) { [clock] in clock.monotonic }, root)
    }
}

@Suite struct KernelChipProbeTests {
    @Test func aDeviceOfAKernelDriverIsReadAndAnAbsentOneNamed() throws {
        let (thread, root) = try KernelDevice().thread()
        defer { thread.stop() }
        let setting = CheckSetting(
            board: try BoardDescription(parsing: boardText, file: "b.toml"), clock: SystemClock(),
            trust: ClockTrust { (.kernel, .milliseconds(1)) }, folder: "/tmp")
        var found: [CheckFinding] = []
        KernelChipProbe(setting: setting, root: root).run { found.append($0) }
        let one = try #require(found.first { $0.subject.name == "IIO lis3dh" })
        #expect(
            one.result == .ok && one.detail.contains("gravity 1.00 g") && one.detail.contains("of 100.0 Hz"), "\(one)")
        let other = try #require(found.first { $0.subject.name == "IIO absent" })
        #expect(other.result == .failed && other.detail.contains("find IIO device absent"), "\(other)")
        #expect(other.remedy?.isEmpty == false)
    }

    /// A driver begins with the first rate of its table, 1 Hz for an LIS3DH (st_accel_core.c:
    /// `adata->odr = adata->sensor->odr.odr_avl[0].hz`).
    @Test func aDeviceThatIsStillAtItsDriversFirstRateIsTestedAtTheRateOfTheMeasure() throws {
        let (thread, root) = try KernelDevice().thread(rate: 1)
        defer { thread.stop() }
        var setting = CheckSetting(
            board: try BoardDescription(parsing: boardText, file: "b.toml"), clock: SystemClock(),
            trust: ClockTrust { (.kernel, .milliseconds(1)) }, folder: "/tmp")
        setting.measures = [
            .init(
                channel: .accelerometer, rate: 100, range: nil, activity: .always, format: .cwa,
                rotation: .seconds(3600))
        ]
        var found: [CheckFinding] = []
        KernelChipProbe(setting: setting, root: root).run { found.append($0) }
        let one = try #require(found.first { $0.subject.name == "IIO lis3dh" })
        #expect(one.result == .ok && one.detail.contains("of 100.0 Hz"), "\(one)")
    }

    @Test(arguments: [
        (1600.0, 4, 1500), (40, 4, 1500), (39, 3, 1500), (10, 1, 1500), (8, 1, 1500), (4, 1, 3000), (1, 1, 6000),
        (0.01, 1, 6000),
    ]) func aTrialLastsForADozenSamplesAndSixSecondsAtMost(rate: Double, watermark: Int, milliseconds: Int64) {
        #expect(KernelChipTrial.watermark(at: rate) == watermark)
        #expect(KernelChipTrial.length(at: rate) == .milliseconds(milliseconds))
    }

    @Test(arguments: [(0.49, true), (0.5, false), (1, false), (100, false)])
    func aSensorThatIsTooSlowToBeTestedIsNotCalledBroken(rate: Double, isTooSlow: Bool) {
        let finding = KernelChipTrial.tooSlow(CheckSubject(.chip, "x"), at: rate)
        #expect(finding?.result == (isTooSlow ? .warning : nil))
    }
}
