// SPDX-License-Identifier: Apache-2.0
import Device

/// Judges a chip's readings of a `ChipTrial` or `KernelChipTrial`: whether it lives, at which rate, and whether
/// gravity and the earth's field are as they should be. Pure.
struct ChipVerdict: Sendable {
    /// How far a chip's rate may be from its nominal one: MEMS oscillators are good
    /// for ten per cent.
    static let rateTolerance = 0.1
    /// The spread above which the device is being moved, in g.
    private static let motion = 0.05

    private var result = CheckFinding.Result.ok
    private var facts: [String] = []
    private var remedies: [String] = []

    /// The finding on a chip, from its identity, its samples and its self-test (nil where it has none). A chip
    /// that `isTooSlow` may have no samples yet; for `lacksMirror` see `ChipTrial`.
    static func finding(
        _ subject: CheckSubject, _ readings: VectorReadings, identity: String, selfTest: SelfTestReport?,
        isTooSlow: Bool = false, lacksMirror: Bool = false
    ) -> CheckFinding {
        var verdict = ChipVerdict()
        if !identity.isEmpty { verdict.facts.append(identity) }
        if isTooSlow, readings.frames.isEmpty {
            let rate = readings.source.nominalRate.text(3)
            verdict.record(
                .warning, "its rate of \(rate) Hz is too slow to be tested", "measure it at a higher rate")
        } else {
            verdict.judge(readings)
        }
        if let selfTest { verdict.judge(selfTest, isMoved: verdict.isMoved(readings)) }
        if lacksMirror {
            verdict.record(
                .warning, "its axes are left-handed, and the board file mirrors none",
                "let its `matrix` mirror one, as in sense-hat.toml, or compass and attitude turn the wrong way")
        }
        return CheckFinding(
            subject, verdict.result, verdict.facts.joined(separator: ", "),
            remedy: verdict.remedies.isEmpty ? nil : verdict.remedies.joined(separator: "; "))
    }

    private mutating func judge(_ readings: VectorReadings) {
        guard !readings.frames.isEmpty else {
            return record(.failed, "no samples", "power-cycle it, otherwise replace it")
        }
        if readings.isFrozen {
            let count = readings.frames.count
            guard !readings.resolvesNoise else {
                return record(
                    .failed, "\(count) identical samples",
                    "power-cycle it; if that does not help, the chip or its soldering is broken")
            }
            record(
                .warning,
                "\(count) identical samples, which can happen at rest with steps of \(readings.step)",
                "move the device and test again: if they are still identical, the chip or its soldering is broken")
        }
        judgeRate(readings)
        for plausibility in Plausibility.check(readings.frames, of: readings.source) {
            judge(plausibility, isMoved: isMoved(readings))
        }
        if let rotation = readings.lengths(.degreesPerSecond) { judgeRotation(rotation.mean, rotation.spread) }
    }

    private func isMoved(_ readings: VectorReadings) -> Bool {
        (readings.lengths(.standardGravity)?.spread ?? 0) > Self.motion
    }

    private mutating func judgeRate(_ readings: VectorReadings) {
        let nominal = readings.source.nominalRate
        guard let rate = readings.rate else {
            return record(
                .warning, "\(readings.frames.count) samples, too few for a rate", "measure it at a higher rate")
        }
        let error = (rate / nominal - 1) * 100
        let text = "\(rate.text(1)) of \(nominal.text(1)) Hz (\(error.signed(1)) %)"
        guard abs(error) > Self.rateTolerance * 100 else { return facts.append(text) }
        record(
            .warning, text,
            "more than 10 % is not the chip's oscillator: check for a slow bus (i2c_arm_baudrate=400000), a busy machine, or another type of chip"
        )
    }

    /// A wrong gravity is a wrong chip or scale; a wrong field may be the iron of the table.
    private mutating func judge(_ found: Plausibility, isMoved: Bool) {
        let digits = found.unit == .microtesla ? 0 : 2
        let text =
            "\(found.quantity) \(found.value.text(digits)) \(found.unit == .microtesla ? "µT" : found.unit.rawValue)"
        if found.isPlausible { return facts.append(text) }
        let range =
            "\(found.allowed.lowerBound.text(digits == 0 ? 0 : 1)) to \(found.allowed.upperBound.text(digits == 0 ? 0 : 1))"
        if found.unit == .standardGravity, isMoved {
            return record(.warning, text + " while it is moved", "lay the device down and test again")
        }
        // A fortieth of the least allowed is noise: no gravity and no field at all.
        let isDead = found.value < found.allowed.lowerBound / 40
        record(
            found.unit == .standardGravity || isDead ? .failed : .warning, "\(text) instead of \(range)",
            isDead ? "it measures nothing: power-cycle it, otherwise replace it" : found.remedy)
    }

    private mutating func judge(_ report: SelfTestReport, isMoved: Bool) {
        if report.hasPassed { return facts.append("self-test passed") }
        let failed = report.axes.filter { !$0.hasPassed }.map { axis in
            "\(axis.name) moved by \(axis.change.text(2)) instead of \(axis.allowed.lowerBound.text(2)) to "
                + "\(axis.allowed.upperBound.text(2)) \(axis.unit.rawValue)"
        }
        record(
            isMoved ? .warning : .failed, "self-test: " + failed.joined(separator: ", "),
            isMoved ? "lay the device down and test again" : "keep it still and test again, otherwise replace it")
    }

    private mutating func judgeRotation(_ mean: Double, _ spread: Double) {
        let text = "rotation \(mean.text(1)) °/s"
        guard mean > 20, spread < 2 else { return facts.append(text) }
        record(
            .warning, text + " at rest",
            "an offset above 20 °/s is outside the data sheets: replace the chip if it persists")
    }

    /// Adds a finding; the result becomes the worse of the two.
    private mutating func record(_ worse: CheckFinding.Result, _ fact: String, _ remedy: String) {
        if worse == .failed || result == .ok { result = worse }
        facts.append(fact)
        remedies.append(remedy)
    }
}
