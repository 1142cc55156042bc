// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What measuring owes, by its rates and the clock: kept in the log at the end of each span of
/// measuring, and for a span that was killed, at the next start.
extension StudyLoop {
    /// What an earlier start left: when it measured, and what of it lies on the disk. Before
    /// anything of this start is registered.
    func findPastLife(_ found: [RecordingDescription], removed: [PastLife.File]) async throws {
        guard let coming, let last = coming.span else { return }
        var life = PastLife(
            boot: last.stamp.bootID, start: last.stamp.monotonic, stop: last.stop?.monotonic, rates: last.rates)
        life.known = try await parts.database.countedRates()
        if let stop = last.stop, stop.bootID != life.boot { return }
        let registered = try await parts.database.recordings(after: last.sequence).compactMap { PastLife.File.of($0) }
        life.files = (registered + found.compactMap { PastLife.File.of($0) }).filter { $0.boot == life.boot }.map(
            \.file
        )
        .filter { $0.start >= life.start }
        life.files += removed.filter { $0.start >= life.start }
        if let row = coming.lastRow, row.bootID == life.boot { life.signs.append(row.monotonic) }
        if let beat = coming.beat { life.signs.append(beat) }
        if life.boot != parts.stamps.bootID {
            // Where nobody ever vouched for that boot's clock, nobody knows for how long
            // the device was off.
            pastLifeEnd = try await parts.database.anchors(ofBoot: life.boot).best?.instant(at: life.end)
        }
        pastLife = life
    }

    /// Measuring began: what was due since it ended, and what is due from now on. The log hears of
    /// it when it knows what was before.
    func recordMeasuring(_ system: MeasuringSystem) -> [CoreEvent] {
        measuringSince = system.start
        if pastLifeUntil == nil { pastLifeUntil = system.start }
        guard coming?.isRecovered != false else { return [] }
        return settlePastLife() + [.noted([.measuringStarted(rates: system.rates, at: system.start)])]
    }

    /// Writes the account of an earlier span, as soon as it is known for how long nothing was
    /// measured after it.
    func settlePastLife() -> [CoreEvent] {
        guard let life = pastLife, let since = pastLifeUntil else { return [] }
        var off: Duration?
        if life.boot == parts.stamps.bootID {
            off = since - life.end
        } else if let anchor = core.anchors.last, anchor.isTrusted {
            off = pastLifeEnd.map { anchor.instant(at: since) - $0 } ?? .zero
        }
        guard let off else { return [] }
        (pastLife, pastLifeUntil) = (nil, nil)
        return keep(life.accounts(off: max(.zero, off)))
    }

    func closeMeasuring(_ states: [MeasureState], rates: [String: Double]) -> [CoreEvent] {
        let now = parts.stamps.moment.monotonic
        parts.view.change { state in
            for measure in states { state.past.addWhole(measure) }
            state.measures = []
        }
        let rows: [CoreEvent] = [.noted(states.compactMap(\.account?.event) + [.measuringStopped])]
        guard let since = measuringSince, pastLife == nil else { return rows }
        pastLifeUntil = nil
        pastLife = PastLife(boot: parts.stamps.bootID, start: since, stop: now, rates: rates)
        for state in states { if let rate = state.dueRate { pastLife?.known[state.kind.rawValue] = rate } }
        measuringSince = nil
        return rows
    }

    private func keep(_ accounts: [SampleAccount]) -> [CoreEvent] {
        guard !accounts.isEmpty else { return [] }
        parts.view.change { state in for account in accounts { state.past.add(account) } }
        return [.noted(accounts.map(\.event))]
    }
}

extension PastLife.File {
    /// One that the log knows, and its boot; nil for what is recorded beside a measure, or was
    /// before its times were kept.
    fileprivate static func of(_ record: RecordingRecord) -> (boot: String, file: Self)? {
        guard let boot = record.boot, let from = record.from, let to = record.to, record.isExtra != true,
            record.rate != nil
        else { return nil }
        let file = Self(
            measure: record.measure, start: from, end: to, stored: Int(record.stored),
            lost: lost(record.lost.mapValues { Int(clamping: $0) }), rate: record.rate)
        return (boot, file)
    }

    /// One that was found on the disk.
    fileprivate static func of(_ description: RecordingDescription) -> (boot: String, file: Self)? {
        guard description.countedUnit == "samples", !description.isExtra else { return nil }
        let file = Self(
            measure: description.kind, start: description.begun, end: description.end,
            stored: description.sourceStored, lost: lost(description.samplesLost), rate: description.sourceRate)
        return (description.bootID, file)
    }

    private static func lost(_ reasons: [String: Int]) -> Int {
        reasons.reduce(0) { $1.key == SampleAccount.powerCut ? $0 : $0 + $1.value }
    }
}
