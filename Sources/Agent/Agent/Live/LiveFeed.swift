// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Study
import SystemKit

/// Publishes how the device is, how prompts end, what features say and what is wrong, for views of the
/// present moment. What a broker does not take is lost to them alone: the log, the outbox and the
/// lab's receiver have it.
///
/// Outcomes are those since the agent began: how far it got is not kept.
final class LiveFeed: Service {
    private struct Known {
        var record: EnrolmentRecord?
        var topics: LiveTopics?
        /// Outcomes up to this row of the log were published.
        var row: Int64 = 0
        /// When each fault was first seen.
        var faults: [String: Instant] = [:]
        var statusDue = MonotonicTime.zero
        /// How many more statuses are published `soon` after one another: measures that begin after a start are
        /// no change of state, and would otherwise be shown late.
        var early = 6
    }

    private static let soon = Duration.seconds(10)
    private let settings: LiveSettings
    private let news: LiveNews
    private let reader: ReportReader
    private let link: BrokerLink
    private let log: Logger

    private var database: StudyDatabase { reader.database }
    private var stamps: EventClock { reader.stamps }

    init(_ settings: LiveSettings, _ news: LiveNews, _ reader: ReportReader, log: Logger) throws {
        self.settings = settings
        self.news = news
        self.reader = reader
        self.log = log
        let (stamps, view) = (reader.stamps, reader.view)
        link = try BrokerLink(settings, clock: stamps.clock, zone: stamps.zone) { status in
            view.change { $0.live = status }
        }
    }

    func run() async throws {
        let ended = StopRequest()
        _ = try NamedThread(name: "studyd-live") { [link] in
            link.run()
            ended.give()
        }
        await cancelWhenStopped { [self] in
            var known = Known()
            await news.work.run { await round(&known) }
        }
        link.stop()
        await Self.wait(for: ended, by: stamps.clock)
    }

    /// A host that does not answer holds the thread longer: it then ends by itself.
    private static func wait(for ended: StopRequest, by clock: any StudyClock) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await ended.given() }
            group.addTask { try? await clock.sleep(until: clock.monotonic + .seconds(2)) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns how long to wait for the next round.
    private func round(_ known: inout Known) async -> Duration {
        let gathered = news.take()
        if gathered.networkCame { link.hurry() }
        do { try await tell(gathered, &known) } catch { log.warning("mqtt", metadata: ["fault": "\(error)"]) }
        return max(.seconds(1), known.statusDue - stamps.clock.monotonic)
    }

    private func tell(_ gathered: LiveNews.Gathered, _ known: inout Known) async throws {
        let present = try await database.latestEnrolment().flatMap { $0.withdrawn == nil ? $0.record : nil }
        let isNew = present?.id != known.record?.id
        if isNew { try await follow(present, &known) }
        guard let record = present, let topics = known.topics else {
            known.statusDue = stamps.clock.monotonic + settings.every
            return
        }
        // What was gathered before the enrolment is not the present participant's.
        let epochs = isNew ? [] : gathered.epochs
        let now = Telling(record: record, topics: topics, at: stamps.clock.now, zone: stamps.zone)
        let prompts = try await prompts(now, &known)
        var messages = prompts + features(epochs, now) + faults(now, &known)
        if isNew || gathered.isChanged || !prompts.isEmpty || known.statusDue <= stamps.clock.monotonic {
            messages += try await status(now)
            known.statusDue =
                stamps.clock.monotonic + (known.early > 0 ? min(Self.soon, settings.every) : settings.every)
            known.early = max(0, known.early - 1)
        }
        link.offer(messages)
    }

    /// What all messages of one round have in common.
    private struct Telling {
        let record: EnrolmentRecord
        let topics: LiveTopics
        let at: Instant
        let zone: Zone

        var time: String { at.rfc3339(in: zone, fractionDigits: 3) }
    }

    /// Publishes the last words of the study that ended, and goes on with `record`; nil = no study is enrolled.
    private func follow(_ record: EnrolmentRecord?, _ known: inout Known) async throws {
        if let topics = known.topics { link.offer(lastWords(topics)) }
        guard let record else {
            known = Known()
            return link.aim(at: nil)
        }
        // Read before `known` changes: if it throws, the next round tries again.
        let end = try await database.logEnd()
        let topics = LiveTopics(settings, study: record.studyID)
        known = Known()
        (known.record, known.topics, known.row) = (record, topics, end)
        link.aim(at: topics)
        guard settings.publishes.contains(.status), let place = topics.discovery else { return }
        let device = HomeAssistantDevice(
            topics: topics, name: "\(record.studyID) \(settings.device)", within: settings.every)
        link.offer([LiveMessage(retained: device.json, at: place)])
    }

    private func lastWords(_ topics: LiveTopics) -> [LiveMessage] {
        guard settings.publishes.contains(.status) else { return [] }
        let now = stamps.clock.now
        let ended = LiveMessage(
            "status", id: "ended-\(now.nanoseconds)", in: topics, at: now.rfc3339(in: stamps.zone, fractionDigits: 3),
            isRetained: true, LiveMessage.state("ended"))
        return [ended] + (topics.discovery.map { [LiveMessage(retained: nil, at: $0)] } ?? [])
    }

    private func status(_ now: Telling) async throws -> [LiveMessage] {
        guard settings.publishes.contains(.status) else { return [] }
        let report = try await reader.report(ReportSubject(of: now.record), number: 0, after: .max)
        let answered = try await database.lastCompletion(of: now.record.id)
        return [
            LiveMessage(
                "status", id: "status-\(now.at.nanoseconds)", in: now.topics, at: now.time, isRetained: true,
                report.live(lastAnswer: answered))
        ]
    }

    private func prompts(_ now: Telling, _ known: inout Known) async throws -> [LiveMessage] {
        let wanted = settings.publishes.intersection([.prompts, .answers])
        // A log that was repaired may be shorter.
        known.row = min(known.row, try await database.logEnd())
        guard !wanted.isEmpty else { return [] }
        let outcomes = try await database.outcomes(of: now.record.id, after: known.row, limit: LiveQueue.most)
        known.row = outcomes.last?.row ?? known.row
        var messages: [LiveMessage] = []
        for outcome in outcomes where !StudyEvent.isOfRule(outcome.occurrence) {
            let id = "\(now.record.id)/\(outcome.row)"
            let time = outcome.ended.rfc3339(in: now.zone, fractionDigits: 3)
            if wanted.contains(.prompts) {
                messages.append(LiveMessage("prompt", id: id, in: now.topics, at: time, outcome.live(in: now.zone)))
            }
            if wanted.contains(.answers), outcome.outcome == .completed {
                let answers = try await database.answers(toPrompt: outcome.occurrence, of: now.record.id)
                messages.append(
                    LiveMessage("answer", id: id, in: now.topics, at: time, outcome.live(answers: answers)))
            }
        }
        return messages
    }

    private func features(_ epochs: [FeatureEpoch], _ now: Telling) -> [LiveMessage] {
        guard settings.publishes.contains(.features) else { return [] }
        return epochs.map { epoch in
            LiveMessage(
                "features", id: "\(now.record.id)/\(epoch.source)/\(epoch.start.nanoseconds)", in: now.topics,
                at: epoch.end.rfc3339(in: now.zone, fractionDigits: 3), epoch.live(in: now.zone))
        }
    }

    /// Each when it begins and when it is over.
    private func faults(_ now: Telling, _ known: inout Known) -> [LiveMessage] {
        let present = Set(reader.view.now.faults.map(DeviceState.name))
        let begun = present.subtracting(known.faults.keys).sorted()
        let over = Set(known.faults.keys).subtracting(present).sorted()
        var messages: [LiveMessage] = []
        for fault in begun { known.faults[fault] = now.at }
        for (word, names) in [("began", begun), ("over", over)] {
            messages += names.enumerated().map { place, fault in
                LiveMessage(
                    "fault", id: "\(word)-\(now.at.nanoseconds)-\(place)", in: now.topics, at: now.time,
                    .object([
                        .init("state", .string(word)), .init("fault", .string(fault.bounded)),
                        .init("since", .string((known.faults[fault] ?? now.at).rfc3339(in: now.zone))),
                    ]))
            }
        }
        for fault in over { known.faults[fault] = nil }
        return settings.publishes.contains(.faults) ? messages : []
    }
}
