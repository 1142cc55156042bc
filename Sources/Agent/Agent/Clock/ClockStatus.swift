// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What `status` says of the clock, as it is when asked; reports and journal ask it whether prompts come.
struct ClockStatus: Sendable {
    let trust: ClockTrust
    /// Prompts come while the largest expected error is within it.
    let bound: Duration

    /// Prompts come; else they are paused, and no time of one is known.
    var isGood: Bool { trust.opinion.isGood(within: bound) }

    /// For people: `kernel, free-running for 14h3m, up to 5.2 s off (drift up to 100 ppm)`.
    var line: String {
        let opinion = trust.opinion
        guard opinion.source != .unknown else { return "not synchronised; prompts are paused" }
        var text = opinion.source == .vouched ? "trust_system" : opinion.source.rawValue
        if opinion.carried > .seconds(300) { text += ", free-running for \(opinion.carried.rounded.text)" }
        text += ", up to \(Self.error(opinion.uncertainty)) off"
        if opinion.carried > .seconds(300) { text += " (drift up to \(Self.ppm(opinion.drift)) ppm)" }
        return opinion.isGood(within: bound) ? text : text + ": more than \(bound.text), so prompts are paused"
    }

    /// `time` is what the agent takes the time for; `source`, `uncertainty` and `carried` in seconds, `drift` as a
    /// ratio, `prompts` where the error allows them.
    func json(at time: ZonedText) -> JSONText {
        let opinion = trust.opinion
        return .object([
            "time": .string(time.description), "source": .string(opinion.source.rawValue),
            "uncertainty": .number(opinion.uncertainty.seconds), "carried": .number(opinion.carried.seconds),
            "drift": .number(opinion.drift), "prompts": .boolean(opinion.isGood(within: bound)),
            "note": opinion.note.map { .string($0) },
        ])
    }

    /// `205 ms`, `5.2 s`.
    static func error(_ error: Duration) -> String {
        let text = error < .seconds(1) ? "\((error.seconds * 1000).text(1)) ms" : "\(error.seconds.text(1)) s"
        return text.replacing(".0 ", with: " ")
    }

    private static func ppm(_ ratio: Double) -> String { (ratio * 1e6).text(0) }
}
