// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformESMira
import Study
import Testing

@testable import Agent

/// The rule of ESMira-web 3.5.1 (0750ca3): `UserDataStore::addDataSetForSaving` refuses what comes
/// less than `dataset_server_timeout` (1000 ms, `configs.default.php`) after the last request of
/// the same user and study, all but the first ("Too many requests in succession",
/// `CreateDataSet::shouldWriteDataSet`). Whatever came, taken or refused, begins the time again;
/// what comes again is stored again.
private struct Server {
    var last: MonotonicTime?
    var stored: [String: Int] = [:]
    var refused = 0

    mutating func take(_ dataset: String, at now: MonotonicTime) -> [UInt8] {
        defer { last = now }
        guard last.map({ now - $0 >= .milliseconds(1_000) }) ?? true else {
            refused += 1
            return Array(
                #"{"success":true,"serverVersion":11,"dataset":{"states":[{"dataSetId":1,"success":false,"error":"Too many requests in succession"}],"tokens":{}}}"#
                    .utf8)
        }
        stored[dataset, default: 0] += 1
        return Array(
            #"{"success":true,"serverVersion":11,"dataset":{"states":[{"dataSetId":1,"success":true}],"tokens":{}}}"#
                .utf8)
    }
}

/// How datasets of ESMira are paced, in virtual time.
@Suite struct ESMiraPaceTests {
    private struct Device {
        let wire = ESMiraWire()
        var backoffs: [String: DeliveryBackoff] = [:]
        var now: MonotonicTime
        var waiting: [(item: OutboxItem, retryAt: MonotonicTime)] = []
        var sends = 0
        var lost = 0

        init(at now: MonotonicTime = .zero, _ enrolments: [String: Int]) {
            self.now = now
            for (enrolment, count) in enrolments.sorted(by: { $0.key < $1.key }) {
                for number in 1...count { waiting.append((Self.item("\(enrolment) \(number)", enrolment), now)) }
            }
        }

        private static let unused = DeliveryBackoff(policy: RetryPolicy(), seed: 1)

        private static func item(_ origin: String, _ enrolment: String) -> OutboxItem {
            OutboxItem(
                item: QueuedItem(
                    id: origin, origin: origin, itemClass: .answers, destination: "study", requestDigest: nil,
                    bytes: 0, file: nil),
                enrolment: enrolment, state: .waiting, attempts: 0, retryAt: nil,
                note: nil)
        }

        private func time(of entry: (item: OutboxItem, retryAt: MonotonicTime)) -> MonotonicTime {
            max(now, entry.retryAt, backoffs[entry.item.enrolment]?.turn.closedUntil ?? now)
        }

        /// Sends until nothing waits. One in `every` answers gets lost, 0 = none; the way to the
        /// server and back is now short, now long.
        mutating func deliver(to server: inout Server, losing every: Int) {
            let destination = HTTPDestination(name: "study", wire: wire, minimumInterval: wire.minimumInterval)
            while let next = waiting.indices.min(by: { time(of: waiting[$0]) < time(of: waiting[$1]) }), sends < 10_000
            {
                now = time(of: waiting[next])
                let item = waiting[next].item
                let way = Duration.milliseconds([20, 900, 150, 2_000][sends % 4])
                let answer = server.take(item.item.origin, at: now + way)
                sends += 1
                now = now + way * 2
                let isLost = every > 0 && sends % every == 0
                lost += isLost ? 1 : 0
                let verdict =
                    isLost ? Verdict.uncertain(reason: "no answer") : wire.verdict(status: 200, body: answer)
                let wall = Instant.epoch + (now - .zero)
                switch backoffs[item.enrolment, default: Self.unused].end(
                    .verdict(verdict), of: item, destination, at: now, wall: wall)
                {
                case .delivered: waiting.remove(at: next)
                case .failed(_, let retry): waiting[next].retryAt = now + (retry - wall)
                case .uncertain(_, let retry): waiting[next].retryAt = now + ((retry ?? wall) - wall)
                case .refused, .paused: Issue.record("a dataset was given up")
                }
            }
        }
    }

    @Test(arguments: [0, 3, 7]) func nothingComesTooSoonWhateverGetsLost(_ every: Int) {
        var (server, device) = (Server(), Device(["e": 200]))
        device.deliver(to: &server, losing: every)
        #expect(server.refused == 0 && device.waiting.isEmpty)
        #expect(server.stored.count == 200)
        // What the server has twice is what it did not get to say that it has.
        #expect(server.stored.values.reduce(0, +) == 200 + device.lost)
    }

    @Test func whatIsRefusedAsTooSoonIsTakenLaterAndOnce() {
        // A power cut right after a request: the device does not know of it any more.
        var (server, device) = (Server(), Device(at: .zero + .milliseconds(10), ["e": 5]))
        _ = server.take("before", at: .zero)
        device.deliver(to: &server, losing: 0)
        #expect(server.refused == 1 && device.sends == 6)
        #expect(server.stored == ["before": 1, "e 1": 1, "e 2": 1, "e 3": 1, "e 4": 1, "e 5": 1])
    }

    /// What remains of the study that was left and what comes of joining it again are of one user
    /// and one study, and take turns.
    @Test func whoLeftAndJoinedAgainGetsEverythingThrough() {
        var (server, device) = (Server(), Device(["left": 30, "rejoined": 30]))
        device.deliver(to: &server, losing: 0)
        #expect(device.waiting.isEmpty && server.stored.count == 60)
        #expect(server.stored.values.allSatisfy { $0 == 1 })
    }
}
