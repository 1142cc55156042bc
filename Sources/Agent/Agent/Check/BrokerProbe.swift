// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study

/// Connects to the broker for live views and publishes one message, which is not retained.
struct BrokerProbe: CheckProbe {
    private static let timeout = Duration.seconds(5)
    private static let subject = CheckSubject(.server, "mqtt")

    private let settings: LiveSettings
    private let study: String?
    private let clock: any StudyClock

    /// `study` is the one that is enrolled; nil = none.
    init(_ settings: LiveSettings, study: String?, clock: any StudyClock) {
        (self.settings, self.study, self.clock) = (settings, study, clock)
    }

    var subjects: [CheckSubject] { [Self.subject] }

    func run(_ report: (CheckFinding) -> Void) {
        let start = clock.monotonic
        do {
            try ask(until: start + Self.timeout)
            let time = ((clock.monotonic - start).seconds * 1000).text(0)
            report(CheckFinding(Self.subject, .ok, "\(settings.broker) took a message in \(time) ms"))
        } catch {
            report(CheckFinding(Self.subject, failure: error, remedy: "check [mqtt] in studyd.toml"))
        }
    }

    /// Under another client id: with the agent's, the broker would end the agent's connection.
    private func ask(until deadline: MonotonicTime) throws {
        let client = try BrokerClient(settings, name: "studyd-check-" + settings.device, will: nil)
        try client.connect()
        while clock.monotonic < deadline {
            var waiting = pollfd(fd: client.socket, events: Int16(POLLIN), revents: 0)
            _ = poll(&waiting, 1, 50)
            let (events, fault) = client.loop()
            for event in events where try handle(event, client) { return client.disconnect() }
            if let fault { throw fault }
        }
        throw BrokerFault(
            explanation: Explanation(
                cause: "no answer from \(settings.broker) in time",
                remedy: "check that it is a broker, and speaks TLS where 'url' in [mqtt] says so"))
    }

    /// Publishes the message once the broker has accepted the connection; true when the message was acknowledged.
    private func handle(_ event: BrokerClient.Event, _ client: BrokerClient) throws -> Bool {
        switch event {
        case .accepted:
            guard client.retains || !settings.publishes.contains(.status) else { throw fault(.retainNotSupported) }
            let topics = LiveTopics(settings, study: study ?? "check")
            let message = LiveMessage("check", id: "check", in: topics, at: nil, .object([]))
            if case .failure(let refusal) = try client.publish(message) { throw fault(refusal.reason, message.topic) }
        case .refused(let reason), .disconnected(let reason): throw fault(reason)
        case .acknowledged(_, let reason):
            guard reason.isGood else { throw fault(reason, "below " + settings.topic) }
            return true
        }
        return false
    }

    private func fault(_ reason: BrokerReason, _ topic: String? = nil) -> BrokerFault {
        BrokerFault(explanation: reason.explanation(of: settings.broker, topic: topic))
    }
}
