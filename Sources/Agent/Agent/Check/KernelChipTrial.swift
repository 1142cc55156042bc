// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// A kernel-driven sensor that `KernelChipProbe` reads until there are enough samples to measure its rate (`length`).
struct KernelChipTrial: Sendable {
    /// The longest time for reading: the whole self-test may take nine seconds (`SelfTest`).
    private static let longest: Duration = .seconds(6)
    private let subject: CheckSubject
    private let sensor: IIOSensor
    private let ring: FrameRing<VectorFrame>
    private let counters = SensorCounters()

    init(_ subject: CheckSubject, _ sensor: IIOSensor) {
        (self.subject, self.sensor) = (subject, sensor)
        ring = FrameRing(
            capacity: Int(sensor.source.nominalRate * 8) + 64, repeating: VectorFrame(values: .zero, count: 0))
    }

    /// Samples for each read of the kernel's buffer: few, so that `length` has enough reads for a rate.
    static func watermark(at rate: Double) -> Int { max(1, min(4, Int(rate / 10))) }

    /// How long to read for a rate: a second and a half, and a dozen samples, but never longer than `longest`.
    static func length(at rate: Double) -> Duration { min(longest, max(.milliseconds(1500), .seconds(12 / rate))) }

    private var length: Duration { Self.length(at: sensor.source.nominalRate) }

    static func run(_ trials: [KernelChipTrial], _ setting: CheckSetting) -> [CheckFinding] {
        guard let length = trials.map(\.length).max() else { return [] }
        do {
            let thread = try BusThread(name: "check-iio", devices: devices(trials, setting.clock), clock: setting.clock)
            setting.sleep(for: length)
            thread.stop()
        } catch {
            return trials.map { CheckFinding($0.subject, failure: error, remedy: "see `dmesg`") }
        }
        return trials.map(\.finding)
    }

    private static func devices(_ trials: [KernelChipTrial], _ clock: any StudyClock) -> [any PolledDevice] {
        trials.map { IIOReader(sensor: $0.sensor, ring: $0.ring, counters: $0.counters, start: clock.monotonic) }
    }

    private var finding: CheckFinding {
        var readings = VectorReadings(sensor.source)
        while let frame = ring.pop() { readings.add(frame) }
        if readings.frames.isEmpty, let trouble = counters.trouble {
            return CheckFinding(subject, failure: trouble.fault, remedy: "see `dmesg`")
        }
        if readings.frames.isEmpty, let finding = Self.tooSlow(subject, at: sensor.source.nominalRate) {
            return finding
        }
        return ChipVerdict.finding(subject, readings, identity: sensor.source.device, selfTest: nil)
    }

    /// The finding where nothing came because samples are too rare; nil where three should have come.
    static func tooSlow(_ subject: CheckSubject, at rate: Double) -> CheckFinding? {
        guard rate * length(at: rate).seconds < 3 else { return nil }
        return CheckFinding(
            subject, .warning, "its rate of \(rate.text(3)) Hz is too slow to be tested",
            remedy: "measure it at a higher rate")
    }
}
