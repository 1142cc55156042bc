// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import SystemKit

/// Brings the bytes of a serial line into a ring, each run with the time at which its first byte
/// woke the thread.
///
/// `MeasuringSystem` makes one for the position receiver. Belongs to one `InputThread`, which calls `drain`
/// when `descriptor` is readable, `close` when that says that the line is gone, and `serve` when `due`. A line
/// that goes away is counted, named and opened again, first after a second, then ever more rarely up to a
/// minute. With a `BaudSearch` bytes go into the ring once the speed is right; what came at a wrong speed is a
/// gap when the speed was right before. What was lost while the line was away is estimated by the rate before.
/// All that is lost is in the next block, with which the recorder counts it.
package final class SerialReader {
    package let counters: SerialCounters
    private let path: String
    private let baud: Int
    private var search: BaudSearch?
    private let ring: FrameRing<ByteFrame>
    private var port: SerialPort?
    /// The driver's count when it was last read; nil where it does not count.
    private var overruns: Int64?
    /// When the line is opened again.
    private var backoff = PollBackoff()
    /// The newest of what came at the speed that is being tried: kept once that proves right.
    private var held: [ByteFrame] = []
    private static let heldLimit = 64
    private var losses = SerialLosses()

    package init(path: String, baud: Int, ring: FrameRing<ByteFrame>) throws(SystemError) {
        counters = SerialCounters(path: path, speeds: [baud])
        self.path = path
        self.baud = baud
        self.ring = ring
        let opened = try SerialPort.open(path: path, baud: baud)
        port = opened
        overruns = opened.overruns
        counters.settle(at: baud)
    }

    /// Opens the line and looks for the receiver's speed. A line that is not there
    /// yet is waited for.
    package init(path: String, search: BaudSearch, ring: FrameRing<ByteFrame>, at now: MonotonicTime) {
        counters = SerialCounters(path: path, speeds: search.all)
        self.path = path
        baud = search.baud
        self.search = search
        self.ring = ring
        held.reserveCapacity(Self.heldLimit)
        _ = reopen(at: now)
    }

    package var descriptor: CInt? { port?.descriptor }
    /// When `serve` should be called; nil while there is nothing to wait for but bytes.
    package var due: MonotonicTime? { backoff.due ?? search?.due }

    /// Reads all that waits, at most 64 frames so that a flood cannot hold the thread. False when
    /// the line is gone: forget its descriptor, then call `close`, which closes it.
    package func drain(at now: MonotonicTime) -> Bool {
        guard let port else { return false }
        countOverruns(port)
        for _ in 0..<64 {
            do throws(SystemError) {
                guard try readFrame(port, now) else { return true }
            } catch {
                counters.fail(error)
                return false
            }
        }
        return true
    }

    /// What is due: opens the line that went away, or tries the next speed. True when the line is
    /// back and has a new descriptor.
    package func serve(at now: MonotonicTime) -> Bool {
        if port == nil { return reopen(at: now) }
        if let verdict = search?.tick(at: now) { apply(verdict) }
        return false
    }

    /// Gives up a line that is gone; the next attempt is at `due`.
    package func close(at now: MonotonicTime) {
        losses.leave(at: now)
        port = nil
        held.removeAll(keepingCapacity: true)
        counters.close()
        backoff.recordFailure(at: now)
    }

    /// Tries to open a line that went away; true when it is back.
    package func reopen(at now: MonotonicTime) -> Bool {
        do throws(SystemError) {
            let opened = try SerialPort.open(path: path, baud: search?.baud ?? baud)
            port = opened
            overruns = opened.overruns
        } catch {
            counters.fail(error)
            close(at: now)
            return false
        }
        backoff.reset()
        losses.comeBack(at: now)
        search?.restart()
        counters.open(at: now)
        if search == nil { counters.settle(at: baud) }
        return true
    }

    private func countOverruns(_ port: SerialPort) {
        guard let before = overruns, let now = port.overruns, now > before else { return }
        overruns = now
        losses.add(Int(now - before))
    }

    /// Reads one frame and pushes or holds it. False when nothing more waits.
    private func readFrame(_ port: SerialPort, _ now: MonotonicTime) throws(SystemError) -> Bool {
        var frame = ByteFrame(time: now)
        var failure: SystemError?
        let count = withUnsafeMutableBytes(of: &frame.bytes) { (buffer) -> Int? in
            do throws(SystemError) { return try port.read(into: buffer) } catch { failure = error }
            return nil
        }
        if let failure { throw failure }
        guard let count else { return false }
        frame.count = UInt16(count)
        counters.noteData(at: now)
        guard search != nil else {
            push(frame)
            return count == ByteFrame.capacity
        }
        let verdict = search?.process(frame.bytes.span.extracting(..<count), at: now) ?? .stay
        // The frame that settles the speed is held too: `apply` pushes it after those before it.
        if search?.isSettled == true, verdict != .found { push(frame) } else { hold(frame) }
        apply(verdict)
        return count == ByteFrame.capacity
    }

    /// Carries out the search's verdict: records what was held, or counts it as lost and sets another speed.
    private func apply(_ verdict: BaudSearch.Verdict) {
        switch verdict {
        case .stay: return
        case .found:
            for frame in held { push(frame) }
            held.removeAll(keepingCapacity: true)
            counters.settle(at: search?.baud ?? baud)
        case .change(let next), .lost(let next):
            for frame in held { discard(frame) }
            held.removeAll(keepingCapacity: true)
            if case .lost = verdict { counters.unsettle() } else { counters.countWrongSpeed() }
            do throws(SystemError) { try port?.setSpeed(next) } catch { counters.fail(error) }
        }
    }

    private func hold(_ frame: ByteFrame) {
        if held.count == Self.heldLimit { discard(held.removeFirst()) }
        held.append(frame)
    }

    /// Counts what came at a wrong speed as lost, except before anything was recorded.
    private func discard(_ frame: ByteFrame) { losses.addUnlessNew(Int(frame.count)) }

    private func push(_ frame: ByteFrame) {
        var frame = frame
        let count = Int(frame.count)
        frame.lostBefore = losses.before
        if ring.push(frame) {
            losses.recordStored(count, at: frame.time)
            counters.countStored(count)
        } else {
            losses.add(count)
        }
    }
}
