// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Tests the sensors that a kernel driver reads, as the agent reads them: through their buffers.
struct KernelChipProbe: CheckProbe {
    private static let length: Duration = .milliseconds(1500)
    private let setting: CheckSetting
    private let root: IIODevice.Root

    init(_ setting: CheckSetting, root: IIODevice.Root = IIODevice.Root()) {
        self.setting = setting
        self.root = root
    }

    var subjects: [CheckSubject] { setting.board.kernelChips.map { CheckSubject(.chip, "IIO \($0.device)") } }

    func run(_ report: (CheckFinding) -> Void) {
        var trials: [KernelChipTrial] = []
        for (subject, chip) in zip(subjects, setting.board.kernelChips) {
            do {
                trials.append(KernelChipTrial(subject, try IIOSensor(chip.device, settings: settings, root: root)))
            } catch {
                report(
                    CheckFinding(
                        subject, failure: error,
                        remedy:
                            "load its driver and overlay (`dmesg | grep iio`), or correct \(chip.path) of the board file"
                    ))
            }
        }
        for finding in KernelChipTrial.run(trials, setting, for: Self.length) { report(finding) }
    }

    /// Often enough for a rate within the time; the rate is the one that is set.
    private var settings: ChipSettings { ChipSettings(watermark: 4) }
}

/// A kernel-driven sensor that is read for about a second.
private struct KernelChipTrial: Sendable {
    private let subject: CheckSubject
    private let sensor: IIOSensor
    private let ring: FrameRing<VectorFrame>
    private let counters = SensorCounters()

    init(_ subject: CheckSubject, _ sensor: IIOSensor) {
        self.subject = subject
        self.sensor = sensor
        ring = FrameRing(
            capacity: Int(sensor.source.nominalRate * 8) + 64, repeating: VectorFrame(values: .zero, count: 0))
    }

    static func run(_ trials: [KernelChipTrial], _ setting: CheckSetting, for length: Duration) -> [CheckFinding] {
        guard !trials.isEmpty else { return [] }
        do {
            let thread = try BusThread(name: "check-iio", devices: devices(trials, setting.clock), clock: setting.clock)
            setting.rest(length)
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
        return ChipVerdict.finding(subject, readings, identity: sensor.source.device, selfTest: nil)
    }
}
