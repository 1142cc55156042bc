// SPDX-License-Identifier: Apache-2.0
import Base

/// From the bytes of a live receiver to fixes, each with the time at which its first byte came in.
/// `PositionWatch` has one.
///
/// A moment ends with the first sentence of another time, and at the latest 0.4 s after its last
/// byte: the caller that feeds the decoder calls `settle` regularly. Nothing is allocated per
/// sentence.
package struct NMEADecoder: ~Copyable {
    /// How long a line must be silent to have ended a moment.
    private static let silence = Duration.milliseconds(400)
    /// Silence after which the day of the next time of day is no longer known.
    private static let longSilence = Duration.seconds(6 * 3600)

    private var framer = NMEAFramer()
    private var epochs: NMEAEpochs
    private var lastByte: MonotonicTime?
    /// When the sentence that is not yet whole began.
    private var sentenceBegan: MonotonicTime?
    /// When the present moment began.
    private var momentBegan: MonotonicTime?

    /// A decoder that has heard nothing. With `reference`, what a trusted clock shows, dates are
    /// checked and corrected.
    package init(reference: Instant? = nil) { epochs = NMEAEpochs(reference: reference) }

    /// Sentences with a right checksum so far.
    package var sentences: Int { framer.sentences }
    /// Sentences that were cut off or failed their checksum so far.
    package var broken: Int { framer.broken }

    /// Takes bytes that were read at `now`; calls `found` for every moment that they end, with its fix and
    /// the time of its first byte.
    package mutating func append(
        _ bytes: Span<UInt8>, at now: MonotonicTime, _ found: (Fix, _ firstByte: MonotonicTime) -> Void
    ) {
        settle(at: now, found)
        if let lastByte, now - lastByte > Self.longSilence { epochs.forgetDay() }
        lastByte = now
        let open = framer.isInSentence ? sentenceBegan : nil
        // An open sentence began with earlier bytes. It ends at the next `$` at the latest, whether it is
        // whole or was cut off; sentences from there on began `now`.
        let next = bytes.indices.first { bytes[$0] == UInt8(ascii: "$") }
        guard let open, let next else { return read(bytes, since: open ?? now, now, found) }
        read(bytes.extracting(...next), since: open, now, found)
        read(bytes.extracting((next + 1)...), since: now, now, found)
    }

    private mutating func read(
        _ bytes: Span<UInt8>, since began: MonotonicTime, _ now: MonotonicTime,
        _ found: (Fix, _ firstByte: MonotonicTime) -> Void
    ) {
        var began = began
        framer.append(bytes) { sentence in
            Self.handle(sentence, began, &epochs, &momentBegan, found)
            began = now
        }
        sentenceBegan = framer.isInSentence ? began : nil
    }

    /// Ends the moment, and what looked like a binary frame, if the line has been silent for 0.4 s. Call
    /// it regularly while no bytes come.
    package mutating func settle(at now: MonotonicTime, _ found: (Fix, _ firstByte: MonotonicTime) -> Void) {
        guard let lastByte, now - lastByte >= Self.silence else { return }
        framer.pause { Self.handle($0, lastByte, &epochs, &momentBegan, found) }
        if !epochs.isEmpty { finish(found) }
    }

    private static func handle(
        _ sentence: borrowing NMEASentence, _ began: MonotonicTime, _ epochs: inout NMEAEpochs,
        _ momentBegan: inout MonotonicTime?, _ found: (Fix, _ firstByte: MonotonicTime) -> Void
    ) {
        if let fix = epochs.append(sentence) {
            found(fix, momentBegan ?? began)
            momentBegan = began
        }
        if momentBegan == nil, !epochs.isEmpty { momentBegan = began }
    }

    private mutating func finish(_ found: (Fix, _ firstByte: MonotonicTime) -> Void) {
        if let fix = epochs.flush(), let momentBegan { found(fix, momentBegan) }
        momentBegan = nil
    }
}
