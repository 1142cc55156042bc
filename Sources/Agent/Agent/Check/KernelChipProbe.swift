// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Tests the sensors that a kernel driver reads, as the agent reads them: through their buffers, at
/// the rates and ranges that it will ask for.
struct KernelChipProbe: CheckProbe {
    let setting: CheckSetting
    var root = IIODevice.Root()

    var subjects: [CheckSubject] { setting.board.kernelChips.map { CheckSubject(.chip, "IIO \($0.device)") } }

    func run(_ report: (CheckFinding) -> Void) {
        var trials: [KernelChipTrial] = []
        var wanted = MeasuringFit(
            setting.measures, on: setting.board,
            kernelDevice: { [root] in try? IIODevice.find($0.device, in: root) }
        ).kernelMeasures
        for (subject, chip) in zip(subjects, setting.board.kernelChips) {
            do {
                trials.append(KernelChipTrial(subject, try sensor(chip, &wanted)))
            } catch {
                report(
                    CheckFinding(
                        subject, failure: error,
                        remedy:
                            "load its driver and overlay (`dmesg | grep iio`), or correct \(chip.path) of the board file"
                    ))
            }
        }
        for finding in KernelChipTrial.run(trials, setting) { report(finding) }
    }

    /// Takes what it will measure off `wanted`: the first device that measures something is asked
    /// for it. One that no measure names is left at the rate that is set.
    private func sensor(_ chip: BoardDescription.KernelChip, _ wanted: inout [ConfiguredMeasure]) throws -> IIOSensor {
        let whole = try IIOSensor(chip.device, root: root)
        let own = wanted.filter { whole.kinds.contains($0.channel) }
        wanted.removeAll { whole.kinds.contains($0.channel) }
        var settings = ChipSettings(of: own)
        let rate = settings.rate ?? whole.source.nominalRate
        settings.watermark = KernelChipTrial.watermark(at: rate)
        return try IIOSensor(
            chip.device, settings: settings, measures: own.isEmpty ? nil : Set(own.map(\.channel)), root: root)
    }
}
