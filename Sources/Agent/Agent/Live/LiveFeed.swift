// SPDX-License-Identifier: Apache-2.0
import Base
import Logging
import Study
import SystemKit

/// Publishes by MQTT how the device is, how prompts end, what features say and what is wrong, for views of the
/// present moment. What a broker does not take is lost to them only: the log, the outbox and the
/// lab's receiver have it.
///
/// Outcomes are those since the agent began: how far it got is not stored.
final class LiveFeed: Service {
    private struct State {
        var memory: LiveMemory
        /// A round has looked for an enrolment.
        var hasBegun = false
        var record: EnrolmentRecord?
        var topics: LiveTopics?
        /// Outcomes up to this row of the log were published.
        var row: Int64 = 0
        var faults: [String: Instant] = [:]
        var statusDue = MonotonicTime.zero
        /// How many more statuses are published `soon` after one another: measures that begin after a start are
        /// no change of state, and would otherwise be shown late.
        var earlyStatuses = 6

        init(_ memory: LiveMemory) { self.memory = memory }
    }

    private static let soon = Duration.seconds(10)
    private let settings: LiveSettings
    private let news: LiveNews
    private let reader: ReportReader
    private let link: BrokerLink
    private let folder: String
    private let log: Logger

    private var database: StudyDatabase { reader.database }
    private var stamps: EventClock { reader.stamps }

    /// `folder` is the path of the state folder.
    init(_ settings: LiveSettings, _ news: LiveNews, _ reader: ReportReader, folder: String, log: Logger) throws {
        (self.settings, self.news, self.reader) = (settings, news, reader)
        (self.folder, self.log) = (folder, log)
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
            var state = State(LiveMemory(in: folder, device: settings.device))
            await news.work.run { await publishRound(&state) }
        }
        link.stop()
        await Self.wait(for: ended, by: stamps.clock)
    }

    /// A host that does not answer holds the thread longer: it then ends by itself.
    private static func wait(for ended: StopRequest, by clock: any StudyClock) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await ended.waitUntilGiven() }
            group.addTask { try? await clock.sleep(until: clock.monotonic + .seconds(2)) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Returns how long to wait for the next round.
    private func publishRound(_ state: inout State) async -> Duration {
        let gathered = news.take()
        if gathered.networkCame { link.retryNow() }
        do { try await publish(gathered, &state) } catch { log.warning("mqtt", metadata: ["fault": "\(error)"]) }
        return max(.seconds(1), state.statusDue - stamps.clock.monotonic)
    }

    private func publish(_ gathered: LiveNews.Gathered, _ state: inout State) async throws {
        let present = try await database.latestEnrolment().flatMap { $0.withdrawn == nil ? $0.record : nil }
        let isNew = !state.hasBegun || present?.id != state.record?.id
        if isNew { try await follow(present, &state) }
        if link.isDone { remember { try state.memory.keepOnly(state.topics?.study) } }
        guard let record = present, let topics = state.topics else {
            state.statusDue = stamps.clock.monotonic + settings.every
            return
        }
        // What was gathered before the enrolment is not the present participant's.
        let epochs = isNew ? [] : gathered.epochs
        let context = MessageContext(record: record, topics: topics, at: stamps.clock.now, zone: stamps.zone)
        let prompts = try await prompts(context, &state)
        var messages = prompts + features(epochs, context) + faults(context, &state)
        if isNew || gathered.isChanged || !prompts.isEmpty || state.statusDue <= stamps.clock.monotonic {
            messages += try await status(context)
            state.statusDue =
                stamps.clock.monotonic + (state.earlyStatuses > 0 ? min(Self.soon, settings.every) : settings.every)
            state.earlyStatuses = max(0, state.earlyStatuses - 1)
        }
        link.offer(messages)
    }

    /// What all messages of one round have in common.
    private struct MessageContext {
        let record: EnrolmentRecord
        let topics: LiveTopics
        let at: Instant
        let zone: Zone

        var time: String { at.rfc3339(in: zone, fractionDigits: 3) }
    }

    /// Publishes the last status (`ended`) of the studies that ended, also while the agent was off, and continues with
    /// `record`; nil = no study is enrolled.
    private func follow(_ record: EnrolmentRecord?, _ state: inout State) async throws {
        // Read before `state` changes: if it throws, the next round tries again.
        let end = try await database.logEnd()
        let topics = record.map { LiveTopics(settings, study: $0.studyID) }
        state = State(state.memory)
        (state.hasBegun, state.record, state.topics, state.row) = (true, record, topics, end)
        let isShown = settings.publishes.contains(.status)
        if isShown, let topics { remember { try state.memory.add(topics.study) } }
        for study in state.memory.studies where study != topics?.study {
            link.offer(lastWords(LiveTopics(settings, study: study)))
        }
        link.setTopics(topics)
        guard isShown, let record, let topics, let place = topics.discovery else { return }
        let device = HomeAssistantDevice(
            topics: topics, name: "\(record.studyID) \(settings.device)", within: settings.every)
        link.offer([LiveMessage(retained: device.json, at: place)])
    }

    /// Where the disk takes no more, live views go on.
    private func remember(_ change: () throws -> Void) {
        do { try change() } catch { log.warning("mqtt", metadata: ["fault": "\(error)"]) }
    }

    private func lastWords(_ topics: LiveTopics) -> [LiveMessage] {
        let now = stamps.clock.now
        let time = now.rfc3339(in: stamps.zone, fractionDigits: 3)
        return [LiveMessage.status("ended", now, in: topics, at: time)]
            + (topics.discovery.map { [LiveMessage(retained: nil, at: $0)] } ?? [])
    }

    private func status(_ context: MessageContext) async throws -> [LiveMessage] {
        guard settings.publishes.contains(.status) else { return [] }
        let report = try await reader.report(ReportSubject(of: context.record), number: 0, after: .max)
        let answered = try await database.lastCompletion(of: context.record.id)
        let id = "status-\(context.at.nanoseconds)"
        return [.status(report.live(lastAnswer: answered), id: id, in: context.topics, at: context.time)]
    }

    private func prompts(_ context: MessageContext, _ state: inout State) async throws -> [LiveMessage] {
        let wanted = settings.publishes.intersection([.prompts, .answers])
        // A log that was repaired may be shorter.
        state.row = min(state.row, try await database.logEnd())
        guard !wanted.isEmpty else { return [] }
        let outcomes = try await database.outcomes(of: context.record.id, after: state.row, limit: LiveQueue.most)
        state.row = outcomes.last?.row ?? state.row
        var messages: [LiveMessage] = []
        for outcome in outcomes where !StudyEvent.isOfRule(outcome.occurrence) {
            let id = "\(context.record.id)/\(outcome.row)"
            let time = outcome.ended.rfc3339(in: context.zone, fractionDigits: 3)
            if wanted.contains(.prompts) {
                messages.append(
                    LiveMessage("prompt", id: id, in: context.topics, at: time, outcome.live(in: context.zone)))
            }
            if wanted.contains(.answers), outcome.outcome == .completed {
                let answers = try await database.answers(toPrompt: outcome.occurrence, of: context.record.id)
                messages.append(
                    LiveMessage("answer", id: id, in: context.topics, at: time, outcome.live(answers: answers)))
            }
        }
        return messages
    }

    private func features(_ epochs: [FeatureEpoch], _ context: MessageContext) -> [LiveMessage] {
        guard settings.publishes.contains(.features) else { return [] }
        return epochs.map { epoch in
            LiveMessage(
                "features", id: "\(context.record.id)/\(epoch.source)/\(epoch.start.nanoseconds)", in: context.topics,
                at: epoch.end.rfc3339(in: context.zone, fractionDigits: 3), epoch.live(in: context.zone))
        }
    }

    /// Each when it begins and when it is over.
    private func faults(_ context: MessageContext, _ state: inout State) -> [LiveMessage] {
        let present = Set(reader.view.now.faults.map(DeviceState.name))
        let begun = present.subtracting(state.faults.keys).sorted()
        let over = Set(state.faults.keys).subtracting(present).sorted()
        var messages: [LiveMessage] = []
        for fault in begun { state.faults[fault] = context.at }
        for (word, names) in [("began", begun), ("over", over)] {
            messages += names.enumerated().map { place, fault in
                LiveMessage(
                    "fault", id: "\(word)-\(context.at.nanoseconds)-\(place)", in: context.topics, at: context.time,
                    .object([
                        .init("state", .string(word)), .init("fault", .string(fault.bounded)),
                        .init("since", .string((state.faults[fault] ?? context.at).rfc3339(in: context.zone))),
                    ]))
            }
        }
        for fault in over { state.faults[fault] = nil }
        return settings.publishes.contains(.faults) ? messages : []
    }
}
