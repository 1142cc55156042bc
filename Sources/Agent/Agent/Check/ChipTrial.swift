// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// A chip that `BusProbe` drives for about a second, as the agent drives it.
struct ChipTrial: Sendable {
    private let subject: CheckSubject
    private let identity: String
    private let ring: FrameRing<VectorFrame>
    private let counters = SensorCounters()
    private let source: SourceDescription
    /// The chip's axes are left-handed, and the board file's matrix does not mirror one.
    private let lacksMirror: Bool
    /// How many of the chip's first samples are dropped.
    private let unsettled: Int
    private let make: @Sendable () throws -> any VectorSensor

    /// A trial of that chip; nothing is sent yet. Throws for a rate or range that it does not have.
    init(
        _ chip: BoardDescription.Chip, subject: CheckSubject, on bus: any I2CBus, _ setting: CheckSetting,
        _ identity: String
    ) throws {
        (self.subject, self.identity) = (subject, identity)
        lacksMirror = chip.lacksMirror
        let entry = try chip.entry()
        var settings = try Self.settings(chip, setting)
        let sensor = try entry.make(bus, chip.bus, settings)
        source = sensor.source
        unsettled = sensor.unsettledSamples
        if sensor.depth > 1 { settings.watermark = max(1, min(20, sensor.depth, Int(source.nominalRate / 10))) }
        make = { [settings] in try entry.make(bus, chip.bus, settings) }
        ring = FrameRing(
            capacity: Int(source.nominalRate * 8) + 64, repeating: VectorFrame(values: .zero, count: 0))
    }

    /// The rate and ranges that the agent will ask of it; its own where no measure names it, or
    /// names what it does not have.
    private static func settings(_ chip: BoardDescription.Chip, _ setting: CheckSetting) throws -> ChipSettings {
        let fit = MeasuringFit(setting.measures, on: setting.board)
        if let problem = fit.problems.first(where: { $0.path.hasPrefix(chip.path) }) { throw problem }
        return fit.uses.first { $0.chip == chip }?.settings ?? ChipSettings(address: chip.address)
    }

    /// The chip's own test, before it is driven: nil where it has none. At most two seconds.
    private func selfTest(_ setting: CheckSetting) throws -> SelfTestReport? {
        try make().selfTest { setting.sleep(for: $0) }
    }

    /// Long enough for a rate: a second, and a dozen samples.
    private var length: Duration {
        .milliseconds(Int64(min(4000, max(1200, 14_000 / max(source.nominalRate, 1)))))
    }

    /// True where the first samples, which are dropped, may take the whole trial: an LIS3DH's seven at 1 Hz.
    private var isTooSlow: Bool { source.nominalRate * length.seconds < Double(unsettled + 2) }

    /// Lets each chip test itself, then drives them all at once on the bus's thread, and judges what
    /// they gave. A self-test that a bus error broke off is ignored: a chip that is broken gives no
    /// samples afterwards either.
    static func run(_ trials: [ChipTrial], _ setting: CheckSetting) -> [CheckFinding] {
        guard let length = trials.map(\.length).max() else { return [] }
        // Self-tests begin only while there is time left for them and for driving: `SelfTest` waits nine seconds.
        let deadline = setting.clock.monotonic + .seconds(5) - length
        let reports = trials.map { trial in
            setting.clock.monotonic < deadline ? try? trial.selfTest(setting) : nil
        }
        do {
            let thread = try BusThread(name: "check-bus", devices: devices(trials, setting.clock), clock: setting.clock)
            setting.sleep(for: length)
            thread.stop()
        } catch {
            return trials.map { CheckFinding($0.subject, failure: error, remedy: "see `dmesg`") }
        }
        return zip(trials, reports).map { $0.finding($1 ?? nil) }
    }

    /// Made here and given to the thread at once.
    private static func devices(_ trials: [ChipTrial], _ clock: any StudyClock) throws -> [any PolledDevice] {
        try trials.map {
            SampledDevice(sensor: try $0.make(), ring: $0.ring, counters: $0.counters, start: clock.monotonic)
        }
    }

    private func finding(_ report: SelfTestReport?) -> CheckFinding {
        var readings = VectorReadings(source)
        while let frame = ring.pop() { readings.add(frame) }
        if readings.frames.isEmpty, let trouble = counters.trouble {
            return CheckFinding(subject, failure: trouble.fault, remedy: "check its wires")
        }
        return ChipVerdict.finding(
            subject, readings, identity: identity, selfTest: report, isTooSlow: isTooSlow, lacksMirror: lacksMirror)
    }
}
