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
    func thread() throws -> (SteppedThread, IIODevice.Root) {
        let still: Signal = { SIMD3(Double($0.nanoseconds / 1000 % 7) * 0.01, 0, 9.80665) }
        let device = try SimulatedIIODevice(
            .init(name: "lis3dh", sensors: [.init(kind: "accel", scale: 0.00980665, signal: still)]),
            start: clock.monotonic)
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
        KernelChipProbe(setting, root: root).run { found.append($0) }
        let one = try #require(found.first { $0.subject.name == "IIO lis3dh" })
        #expect(
            one.result == .ok && one.detail.contains("gravity 1.00 g") && one.detail.contains("of 100.0 Hz"), "\(one)")
        let other = try #require(found.first { $0.subject.name == "IIO absent" })
        #expect(other.result == .failed && other.detail.contains("find IIO device absent"), "\(other)")
        #expect(other.remedy?.isEmpty == false)
    }
}
