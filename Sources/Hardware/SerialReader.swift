// SPDX-License-Identifier: Apache-2.0
import CLinux
import Samples
import Synchronization
import Times

/// Brings the bytes of a serial line into a ring, each run with the time at which its first byte woke the thread.
///
/// Belongs to one `InputThread`. A line that goes away is counted and opened again, first after a second, then ever
/// more rarely up to a minute.
public final class SerialReader {
    /// Counters that any thread may read.
    public final class Counters: Sendable {
        fileprivate let read = Atomic<Int>(0)
        fileprivate let dropped = Atomic<Int>(0)
        fileprivate let failed = Atomic<Int>(0)
        fileprivate let open = Atomic<Bool>(true)

        /// Bytes that went into the ring.
        public var bytes: Int { read.load(ordering: .relaxed) }
        /// Bytes lost because the ring was full or the line's driver could not keep them.
        public var lostBytes: Int { dropped.load(ordering: .relaxed) }
        /// How often the line went away or could not be opened.
        public var faults: Int { failed.load(ordering: .relaxed) }
        /// False while the line is away.
        public var isOpen: Bool { open.load(ordering: .relaxed) }
    }

    /// What happened so far.
    public let counters = Counters()
    private let path: String
    private let baud: Int
    private let ring: FrameRing<ByteFrame>
    private let greeting: [UInt8]
    private var port: SerialPort?
    private var lostBefore: UInt32 = 0
    private var overruns: Int64?
    private var retry: MonotonicTime?
    private var patience: Duration = .seconds(1)

    /// Opens the line. `greeting` is sent each time it is opened: most receivers forget their settings with their power.
    public init(
        path: String, baud: Int, ring: FrameRing<ByteFrame>, greeting: [UInt8] = []
    ) throws(SystemError) {
        self.greeting = greeting
        self.path = path
        self.baud = baud
        self.ring = ring
        let opened = try Self.open(path, baud, greeting)
        port = opened
        overruns = opened.overruns
    }

    /// A line that could not be opened at `now`: it is looked for until it comes.
    public init(
        awaiting path: String, baud: Int, ring: FrameRing<ByteFrame>, greeting: [UInt8] = [], since now: MonotonicTime
    ) {
        self.greeting = greeting
        self.path = path
        self.baud = baud
        self.ring = ring
        close(at: now)
    }

    /// The line's descriptor; nil while it is away.
    public var descriptor: CInt? { port?.descriptor }
    /// When `reopen` should be called; nil while the line is there.
    public var due: MonotonicTime? { retry }

    /// Sends bytes to the receiver; does nothing while the line is away.
    public func send(_ bytes: [UInt8]) throws(SystemError) { try port?.send(bytes) }

    /// Reads all that waits, at most 64 frames so that a flood cannot hold the thread. False when the line is gone:
    /// forget its descriptor, which is closed by `close`.
    public func drain(at now: MonotonicTime) -> Bool {
        guard let port else { return false }
        countOverruns(port)
        for _ in 0..<64 {
            do throws(SystemError) {
                guard try readFrame(port, now) else { return true }
            } catch { return false }
        }
        return true
    }

    /// Gives up a line that is gone; the next attempt is at `due`.
    public func close(at now: MonotonicTime) {
        port = nil
        counters.open.store(false, ordering: .relaxed)
        counters.failed.wrappingAdd(1, ordering: .relaxed)
        retry = now + patience
        patience = min(patience * 2, .seconds(60))
    }

    /// Tries to open a line that went away; true when it is back.
    public func reopen(at now: MonotonicTime) -> Bool {
        guard let opened = try? Self.open(path, baud, greeting) else {
            close(at: now)
            return false
        }
        port = opened
        overruns = opened.overruns
        retry = nil
        patience = .seconds(1)
        counters.open.store(true, ordering: .relaxed)
        return true
    }

    private static func open(_ path: String, _ baud: Int, _ greeting: [UInt8]) throws(SystemError) -> SerialPort {
        let port = try SerialPort.open(path: path, baud: baud)
        try port.send(greeting)
        return port
    }

    private func countOverruns(_ port: SerialPort) {
        guard let before = overruns, let now = port.overruns, now > before else { return }
        overruns = now
        lostBefore += UInt32(clamping: now - before)
        counters.dropped.wrappingAdd(Int(now - before), ordering: .relaxed)
    }

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
        frame.lostBefore = lostBefore
        if ring.push(frame) {
            lostBefore = 0
            counters.read.wrappingAdd(count, ordering: .relaxed)
        } else {
            lostBefore += UInt32(count)
            counters.dropped.wrappingAdd(count, ordering: .relaxed)
        }
        return count == ByteFrame.capacity
    }
}
