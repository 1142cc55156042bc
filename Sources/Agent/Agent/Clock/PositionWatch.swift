// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Reads the position receiver's sentences on their way to the recorder: for its time (`Listener`), for its places,
/// and for how it is doing (`ReceiverState`).
///
/// Lives on the recorder thread, which is the consumer of the line's ring and the producer
/// of the measure's.
final class PositionWatch {
    /// Who wants to know the time.
    struct Listener: Sendable {
        /// A time that has certainly passed.
        let floor: Instant
        /// What the system's own clock says.
        let wall: @Sendable () -> GPSClock.Wall
        /// Called when a time of the receiver is newly believed; must only post.
        let found: @Sendable (ClockAnchor) -> Void
    }

    private let source: FrameRing<ByteFrame>
    /// For the measure; nil when position is not recorded.
    private let measure: FrameRing<ByteFrame>?
    private let listener: Listener?
    private let shared: ReceiverState
    private var places: FrameRing<PlaceFrame>?
    private var decoder = NMEADecoder()
    private var clock: GPSClock
    private var wasAway = false

    /// `source` is the line's ring; `listener` nil = the receiver's time is not wanted.
    init(source: FrameRing<ByteFrame>, measure: FrameRing<ByteFrame>?, listener: Listener?, shared: ReceiverState) {
        (self.source, self.measure, self.listener, self.shared) = (source, measure, listener, shared)
        clock = GPSClock(floor: listener?.floor ?? .epoch)
    }

    /// From now on each valid position goes into that ring, too; its consumer is on the same thread.
    /// False where positions are not recorded.
    func mirror(into ring: FrameRing<PlaceFrame>) -> Bool {
        guard measure != nil else { return false }
        places = ring
        return true
    }

    /// Frames that still wait, because the measure's ring was full.
    var waiting: Int { source.count }

    /// Moves frames from the line's ring to the measure's, as far as that has room, and decodes each.
    func pump(at now: MonotonicTime) {
        resetAfterAbsence()
        for _ in 0..<source.count {
            guard measure.map({ $0.count < $0.capacity }) ?? true, let frame = source.pop() else { break }
            measure?.push(frame)
            decoder.append(frame.bytes.span.extracting(..<min(Int(frame.count), ByteFrame.capacity)), at: frame.time) {
                handle($0, firstByte: $1)
            }
        }
        decoder.settle(at: now) { handle($0, firstByte: $1) }
        shared.record(sentences: decoder.sentences, broken: decoder.broken, at: now)
    }

    /// After the line was gone another receiver may be connected: what the clock learned is
    /// forgotten.
    private func resetAfterAbsence() {
        let isAway = shared.line?.isOpen == false
        if wasAway, !isAway { clock.lineOpened() }
        wasAway = isAway
    }

    private func handle(_ fix: Fix, firstByte: MonotonicTime) {
        if fix.mode >= 2, let latitude = fix.latitude, let longitude = fix.longitude {
            places?.push(PlaceFrame(time: firstByte, latitude: latitude, longitude: longitude))
        }
        guard let listener else { return shared.record(fix, nil, at: firstByte) }
        let before = clock.verdict
        let verdict = clock.process(fix, firstByte: firstByte, wall: listener.wall())
        shared.record(fix, verdict, at: firstByte)
        if verdict != before, case .trusted(let anchor) = verdict { listener.found(anchor) }
    }
}
