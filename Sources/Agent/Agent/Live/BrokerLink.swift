// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import Synchronization
import SystemKit

/// Keeps up the connection to the broker, on a thread that does nothing else, and publishes what `LiveFeed` offers.
///
/// ```
///   nothing to say ──▶ connect ──▶ accepted ──▶ publish … ──▶ goodbye (another study, none, stop)
///                        ▲  │ no answer, refused    │ lost
///                        │  ▼                       ▼
///                        wait: doubles up to five minutes; a network that comes ends it
/// ```
final class BrokerLink: Sendable {
    private struct State: Sendable {
        var queue = LiveQueue()
        /// Nil = no study is enrolled; only what is still queued, the last words, is published.
        var topics: LiveTopics?
        var retriesNow = false
        /// When the broker took the present connection; nil while there is none.
        var accepted: MonotonicTime?
        /// Connections in a row that were taken, and soon ended by the other side (`isBrief`).
        var briefConnections = 0
        /// False after a refusal of retained messages, and on a connection to a broker that takes none:
        /// MQTT 5.0, 3.1.2.7, has it refuse a retained will. A later connection asks again.
        var retains = true
        var status: LiveStatus
    }

    private let settings: LiveSettings
    private let clock: any StudyClock
    private let zone: Zone
    private let changed: @Sendable (LiveStatus) -> Void
    private let waker: Waker
    private let state: Mutex<State>

    /// How long the broker may take to accept a connection.
    private static let acceptTimeout = Duration.seconds(20)
    /// A connection that lasted this long was not brief.
    private static let steady = Duration.seconds(60)
    /// Brief ones in a row that mean two devices with one name.
    private static let contested = 2
    /// How long the last words may take before the connection is ended.
    private static let longestGoodbye = Duration.seconds(1)
    /// From one `loop` to the next, at most: it sends keep-alives, and the broker may want them
    /// oftener than we do (`max_keepalive` of mosquitto, 10 s at least).
    static let longestWait = Duration.seconds(5)
    private static let policy = RetryPolicy(first: .seconds(2), longest: .seconds(300))

    /// `changed` is called on the link's thread, and must return at once.
    init(
        _ settings: LiveSettings, clock: any StudyClock, zone: Zone,
        changed: @escaping @Sendable (LiveStatus) -> Void
    ) throws {
        self.settings = settings
        (self.clock, self.zone) = (clock, zone)
        self.changed = changed
        waker = try Waker()
        state = Mutex(State(status: LiveStatus(settings.broker)))
    }

    /// Any thread; never blocks.
    func offer(_ messages: [LiveMessage]) {
        guard !messages.isEmpty else { return }
        state.withLock { state in for message in messages { state.queue.add(message) } }
        waker.wake()
    }

    /// The broker has answered all that was offered.
    var isDone: Bool { state.withLock { $0.queue.isEmpty } }

    /// From now on everything is published under these topics, the will too; nil = nothing is.
    func setTopics(_ topics: LiveTopics?) {
        state.withLock { $0.topics = topics }
        waker.wake()
    }

    /// Ends the pause before the next attempt. Any thread; never blocks.
    func retryNow() {
        state.withLock { $0.retriesNow = true }
        waker.wake()
    }

    func stop() { waker.stop() }

    /// Blocks until it is stopped; a host that does not answer may hold it longer.
    func run() {
        var failures = 0
        var generator = SplitMix64(seed: UInt64(truncatingIfNeeded: clock.now.nanoseconds))
        while !waker.isStopping {
            guard isWanted else {
                waker.wait()
                continue
            }
            let start = clock.monotonic
            do {
                try serve()
                failures = 0
            } catch {
                failures = clock.monotonic - start > Self.steady ? 1 : failures + 1
                recordFailure(error, at: clock.monotonic)
                pause(until: clock.monotonic + Self.policy.delay(afterFailure: failures, using: &generator))
            }
        }
    }

    private var isWanted: Bool { state.withLock { $0.topics != nil || !$0.queue.isEmpty } }

    private func pause(until end: MonotonicTime) {
        state.withLock { $0.retriesNow = false }
        while !waker.isStopping, !state.withLock({ $0.retriesNow }), case let left = end - clock.monotonic, left > .zero
        {
            waker.wait(atMost: left)
        }
    }

    private func recordFailure(_ error: any Error, at now: MonotonicTime) {
        change { state in
            state.queue.connectionLost()
            let fault = error as? BrokerFault
            let isBrief = state.accepted.map { Self.isBrief(now - $0, keepAlive: settings.keepAlive) } ?? false
            state.retains = fault?.retainNotSupported != true
            // A broker that takes no retained message refuses the first attempt after each connection.
            if state.retains {
                state.briefConnections = isBrief && fault?.isClose == true ? state.briefConnections + 1 : 0
            }
            (state.accepted, state.status.isConnected) = (nil, false)
            state.status.trouble = Explanation(error)
            state.status.isRefusal = fault?.isRefusal ?? true
            if state.briefConnections >= Self.contested { reportContest(&state) }
        }
    }

    /// A broker that has heard nothing for one and a half of `keepAlive` ends a connection, too: no other device is
    /// behind that.
    static func isBrief(_ time: Duration, keepAlive: Duration) -> Bool { time < min(steady, keepAlive * 1.5) }

    /// Reports that another device has this one's name and takes its connections over. Not every broker says so
    /// (reason 142): mosquitto 2.0.11 just closes the connection.
    private func reportContest(_ state: inout State) {
        let reason = BrokerReason(code: 142)
        (state.status.trouble, state.status.isRefusal) = (reason.explanation(of: settings.broker), true)
    }

    private func change(_ body: (inout State) -> Void) {
        let status = state.withLock { state in
            body(&state)
            state.status.dropped = state.queue.dropped
            return state.status
        }
        changed(status)
    }

    // MARK: One connection

    /// Returns after a connection that was ended in good order.
    private func serve() throws {
        let (topics, retains) = state.withLock { ($0.topics, $0.retains) }
        let client = try BrokerClient(
            settings, name: "studyd-" + settings.device, will: topics.flatMap(will), retains: retains)
        try client.connect()
        let deadline = clock.monotonic + Self.acceptTimeout
        var isAccepted = false
        while !isOver(topics, isAccepted: isAccepted) {
            wait(for: client, isAccepted: isAccepted)
            isAccepted = try handleEvents(of: client) || isAccepted
            guard isAccepted || clock.monotonic < deadline else { throw noAnswer }
        }
        if isAccepted { try sayGoodbye(to: client, topics) }
    }

    private func will(_ topics: LiveTopics) -> LiveMessage? {
        settings.publishes.contains(.status) ? .status("silent", clock.now, in: topics, at: nil) : nil
    }

    /// True when the connection is to end: on a stop, when the topics have changed (the will cannot be changed), and
    /// when no study is enrolled any more and the last words are out.
    private func isOver(_ topics: LiveTopics?, isAccepted: Bool) -> Bool {
        waker.isStopping
            || state.withLock { $0.topics != topics || $0.topics == nil && isAccepted && $0.queue.isEmpty }
    }

    /// Before the broker has taken it a socket that could be written is no reason to wake up: TLS waits
    /// for the other side.
    private func wait(for client: BrokerClient, isAccepted: Bool) {
        let writes = isAccepted && client.wantsToWrite ? POLLOUT : 0
        let longest = CInt(min(Self.longestWait, settings.keepAlive / 4).milliseconds)
        let timeout: CInt = isAccepted ? longest : client.wantsToWrite ? 50 : 1_000
        var waiting = [
            pollfd(fd: client.socket, events: Int16(POLLIN | writes), revents: 0),
            pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&waiting, nfds_t(waiting.count), timeout)
        if waiting[1].revents != 0 { waker.clear() }
    }

    /// True where the broker has just taken the connection.
    private func handleEvents(of client: BrokerClient) throws -> Bool {
        let (events, fault) = client.loop()
        var isAccepted = false
        for event in events {
            switch event {
            case .accepted:
                isAccepted = true
                accept(retaining: client.retains, at: clock.monotonic)
            case .refused(let reason), .disconnected(let reason):
                throw BrokerFault(
                    explanation: reason.explanation(of: settings.broker), isRefusal: reason.needsOperator,
                    isClose: reason.code == 142, retainNotSupported: reason == .retainNotSupported)
            case .acknowledged(let number, let reason): acknowledge(number, reason)
            }
        }
        if let fault { throw fault }
        if isAccepted || state.withLock({ $0.status.isConnected }) { try publishQueued(to: client) }
        return isAccepted
    }

    private func accept(retaining retains: Bool, at now: MonotonicTime) {
        change { state in
            (state.accepted, state.status.isConnected, state.retains) = (now, true, retains)
            // A contested connection stays in trouble until it has lasted (`acknowledge`).
            guard state.briefConnections < Self.contested else { return }
            clearTrouble(&state)
        }
    }

    /// Sets the trouble of a good connection: none, or that the broker keeps no status for later readers.
    private func clearTrouble(_ state: inout State) {
        let isLost = !state.retains && settings.publishes.contains(.status)
        state.status.trouble = isLost ? BrokerReason.retainNotSupported.explanation(of: settings.broker) : nil
        state.status.isRefusal = isLost
    }

    private func publishQueued(to client: BrokerClient) throws {
        while let message = state.withLock({ $0.queue.next() }) {
            do {
                switch try client.publish(message) {
                case .success(let number): state.withLock { $0.queue.sent(message, as: number) }
                case .failure(let refusal): refuse(message, refusal.reason)
                }
            } catch {
                state.withLock { $0.queue.unsent(message) }
                throw error
            }
        }
    }

    private func acknowledge(_ number: Int, _ reason: BrokerReason) {
        let message = state.withLock { $0.queue.acknowledged(number) }
        guard reason.isGood else { return message.map { refuse($0, reason) } ?? () }
        let now = clock.monotonic
        change { state in
            state.status.published += 1
            guard state.briefConnections > 0, let accepted = state.accepted, now - accepted > Self.steady else {
                return
            }
            state.briefConnections = 0
            clearTrouble(&state)
        }
    }

    /// Not retried: a second attempt would be refused as well.
    private func refuse(_ message: LiveMessage, _ reason: BrokerReason) {
        change { state in
            state.status.refused += 1
            state.status.trouble = reason.explanation(of: settings.broker, topic: message.topic)
            state.status.isRefusal = true
        }
    }

    /// The last words, as far as they are taken within a second, and goodbye: the will is not published.
    private func sayGoodbye(to client: BrokerClient, _ topics: LiveTopics?) throws {
        // Of a study that was just left `ended` is the last word.
        let isPresent = state.withLock { $0.topics == topics }
        if waker.isStopping, isPresent, let topics, settings.publishes.contains(.status) {
            let now = clock.now
            offer([.status("off", now, in: topics, at: now.rfc3339(in: zone, fractionDigits: 3))])
        }
        let end = clock.monotonic + Self.longestGoodbye
        try publishQueued(to: client)
        while !state.withLock({ $0.queue.isEmpty }), clock.monotonic < end {
            var waiting = pollfd(fd: client.socket, events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, 50)
            _ = try handleEvents(of: client)
        }
        client.disconnect()
        change { state in
            if !state.queue.isEmpty { state.queue.connectionLost() }
            (state.accepted, state.status.isConnected) = (nil, false)
        }
    }

    private var noAnswer: BrokerFault {
        BrokerFault(
            explanation: Explanation(
                place: "mqtt", cause: "\(settings.broker) takes connections and says nothing",
                remedy: "check that it is a broker, and speaks TLS where 'url' in [mqtt] says so"))
    }
}
