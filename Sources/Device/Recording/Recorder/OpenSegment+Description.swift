// SPDX-License-Identifier: Apache-2.0
import Base

/// What the description says of the file's gaps and of its end.
extension OpenSegment {
    /// Notes a gap of the source in the file's own samples and times; `reached` is how far the
    /// encoder has come before it, `lead` the encoder's, `ratio` the source's rate as measured to
    /// its nominal one.
    func record(_ gap: RecordingGap, _ reached: Mark, lead: Duration, ratio: Double) {
        var gap = gap
        gap.position = layout?.resampledRate == nil ? taken : reached.inFile
        if let last = reached.span?.last { gap.start = last }
        if let rate = layout?.resampledRate {
            gap.time = gap.time + lead
            gap.samples = max(0, Int(((gap.time - gap.start).seconds * rate * ratio).rounded()) - 1)
        }
        // Before the first whole unit there is nothing of which it could be a gap.
        if gap.position > 0 || reached.span != nil { draft.record(gap) }
    }

    /// The description of the finished file. `errors` and `rate` are the timeline's of this file.
    func finished(
        _ source: SourceDescription, fields: RecordingDescription.FieldNotes?, errors: SampleTimeErrors?,
        rate: (rate: Double, error: Double)?, _ anchors: [ClockAnchor]
    ) -> RecordingDescription {
        var draft = self.draft
        draft.state = .finished
        if let fields { draft.fields = fields }
        draft.endUptime = Double((written.span?.last ?? end).nanoseconds) / 1e9
        if let first = written.span?.first { draft.begin(at: Double(first.nanoseconds) / 1e9) }
        // What is missing behind the last sample is no gap in the file; where it ended the file, it
        // is told as its last.
        draft.gaps.removeAll { $0.position >= written.inFile }
        if var ending {
            (ending.start, ending.position) = (written.span?.last ?? end, written.inFile)
            ending.samples = Int((Double(ending.samples) * (layout?.ratio(to: source.nominalRate) ?? 1)).rounded())
            draft.record(ending)
        }
        if let errors {
            draft.timeError = errors.largest.seconds
            draft.steadyTimeError = errors.steady?.seconds
        } else if source.stampError > 0 {
            draft.timeError = source.stampError
        }
        if let anchor { draft.setClock(anchor, offset: offset) }
        follow(anchors)
        draft.clockError = wall?.bound(from: start, to: end)
        if let (rate, error) = rate { draft.setRate(rate, error: error) }
        draft.count(stored: written.stored, inFile: written.inFile, layout: layout, source: source)
        for anchor in anchors where anchor.monotonic >= start { draft.record(anchor) }
        return draft
    }
}
