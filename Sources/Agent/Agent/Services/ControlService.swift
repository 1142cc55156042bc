// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Logging
import Study
import SystemKit

/// Answers the commands that come through the `ControlSocket`, and carries out a participant's wish to leave.
struct ControlService: Service {
    private let socket: ControlSocket
    private let database: StudyDatabase
    private let enroller: Enroller
    private let status: StatusReader
    private let platforms: PlatformCatalog
    private let follower: UpdateService
    private let wakeUploader: @Sendable () -> Void
    /// Everything that waits is tried at once.
    private let sendNow: @Sendable () -> Void
    /// Called when somebody enrolled or left, so that the lab's receiver hears of it.
    private let report: @Sendable () -> Void
    /// Called when the disk is full; returns when there is as much room as can be made.
    private let makeRoom: @Sendable () async -> Void
    /// One that an earlier start noted and could not store; nil = none.
    private let leaving: LeavingWish?
    private let mailbox: Mailbox
    private let log: Logger
    /// From one try to leave that was refused to the next.
    static let withdrawalPause: Duration = .seconds(10)
    /// From one try that the journal names to the next: ten minutes.
    private static let triesPerLine = 60
    private let changes = CallQueue()
    /// Separate, so that `status` answers while an enrolment waits for a slow server.
    private let questions = CallQueue()

    /// Calls that are answered one after the other.
    private struct CallQueue: Sendable {
        let calls: AsyncStream<ControlCall>
        let continuation: AsyncStream<ControlCall>.Continuation

        init() {
            (calls, continuation) = AsyncStream.makeStream(of: ControlCall.self, bufferingPolicy: .bufferingOldest(64))
        }
    }

    init(
        socket: ControlSocket, database: StudyDatabase, enroller: Enroller, status: StatusReader,
        platforms: PlatformCatalog, follower: UpdateService,
        wakeUploader: @escaping @Sendable () -> Void, sendNow: @escaping @Sendable () -> Void,
        report: @escaping @Sendable () -> Void = {}, makeRoom: @escaping @Sendable () async -> Void = {},
        leaving: LeavingWish? = nil, mailbox: Mailbox, log: Logger
    ) {
        (self.socket, self.database, self.enroller) = (socket, database, enroller)
        (self.status, self.platforms, self.follower) = (status, platforms, follower)
        (self.wakeUploader, self.sendNow, self.report) = (wakeUploader, sendNow, report)
        (self.makeRoom, self.leaving, self.mailbox) = (makeRoom, leaving, mailbox)
        self.log = log
    }

    func run() async throws {
        let thread = try NamedThread(name: "studyd-control") { [socket, changes, questions] in
            socket.serve { call in
                let queue = call.request.isQuestion ? questions : changes
                if case .enqueued = queue.continuation.yield(call) { return }
                call.reply(.refused(reason: "studyd is busy; try again"))
            }
        }
        if let leaving { withdraw(leaving) }
        await withStopHandler {
            async let asked: Void = answer(questions)
            await answer(changes)
            await asked
        } onStop: {
            changes.continuation.finish()
            questions.continuation.finish()
        }
        socket.stop()
        thread.join()
        socket.close()
    }

    /// The participant confirmed leaving on the panel, which has accepted it: tried until it is done. Once it is
    /// refused, the study ends here all the same.
    func withdraw(_ wish: LeavingWish) { withdraw(wish, Tries()) }

    /// The attempts so far to store one leaving.
    private struct Tries {
        var count = 0
        /// A fault says that one was refused.
        var hasFault = false
    }

    private func withdraw(_ wish: LeavingWish, _ tries: Tries) {
        let request = ControlRequest.withdraw(deletesUnsent: nil, deletesData: wish.deletesData)
        let call = ControlCall(request: request, confirmed: wish.stamp) { answer in
            guard case .refused(let reason) = answer else { return clearFault(of: tries) }
            Task(executorPreference: TaskThread.current) { await withdrawLater(wish, reason, tries) }
        }
        switch changes.continuation.yield(call) {
        case .dropped: call.reply(.refused(reason: "studyd is busy"))
        case .terminated: log.critical("studyd is stopping: the participant's leaving is not stored")
        default: break
        }
    }

    private func withdrawLater(_ wish: LeavingWish, _ reason: String, _ before: Tries) async {
        // It is stored, and only the wait for its delivery failed; or a command was quicker.
        guard await isOpen(wish) else { return clearFault(of: before) }
        if before.count == 0 { mailbox.post(.leaving(wish)) }
        let isNoted = await database.note(wish)
        if await hasLostEnrolment() {
            clearFault(of: before)
            return journal("leaving cannot be stored: the enrolment is lost", wish, reason, isNoted: isNoted)
        }
        var tries = before
        tries.hasFault = await report(reason, before)
        if tries.count % Self.triesPerLine == 0 { journal("leaving is tried again", wish, reason, isNoted: isNoted) }
        tries.count += 1
        let clock = status.stamps.clock
        guard (try? await clock.sleep(until: clock.monotonic + Self.withdrawalPause)) != nil else { return }
        if await isOpen(wish) { withdraw(wish, tries) } else { clearFault(of: tries) }
    }

    /// True when a fault says that leaving is refused. That the log is still being read is none.
    private func report(_ reason: String, _ tries: Tries) async -> Bool {
        guard !tries.hasFault, await database.isCurrent else { return tries.hasFault }
        mailbox.post(.fault("leaving the study could not be stored: \(reason)"))
        return true
    }

    private func clearFault(of tries: Tries) { if tries.hasFault { mailbox.post(.fault(nil)) } }

    /// Also where the store cannot be read just now, or does not know yet who takes part.
    private func isOpen(_ wish: LeavingWish) async -> Bool {
        guard await database.isCurrent, let state = try? await database.latestEnrolment() else { return true }
        return state.withdrawn == nil && state.record.id == wish.enrolment
    }

    /// The store is whole and names no participant: another try would be refused too.
    private func hasLostEnrolment() async -> Bool {
        guard await database.isCurrent, await database.memoryOnlyReason == nil else { return false }
        do { return try await database.latestEnrolment() == nil } catch { return false }
    }

    private func journal(_ what: String, _ wish: LeavingWish, _ reason: String, isNoted: Bool) {
        log.error(
            "\(what)",
            metadata: [
                "enrolment": "\(wish.enrolment)", "left": "\(wish.stamp.wall.rfc3339(in: status.stamps.zone))",
                "refused": "\(reason)", "outlives a power cut": "\(isNoted)",
            ])
    }

    private func answer(_ queue: CallQueue) async { for await call in queue.calls { await answer(call) } }

    private func answer(_ call: ControlCall) async {
        do {
            call.reply(try await perform(call))
        } catch {
            call.reply(.refused(reason: "\(error)"))
        }
    }

    private func perform(_ call: ControlCall) async throws -> ControlAnswer {
        let request = call.request
        guard await database.isCurrent || request.isQuestion else {
            throw ControlFault("studyd is still reading its log after an update", remedy: "try again in a minute")
        }
        switch request {
        case .facts: return .facts(facts: status.facts)
        case .status(let json, let uploads): return .done(text: try await status.text(json: json, uploads: uploads))
        case .enroll(let request): return .done(text: try await enrol(request))
        case .withdraw(let deletesUnsent, let deletesData):
            let record = try await makingRoom {
                try await enroller.withdraw(
                    deletesUnsent: deletesUnsent, deletesData: deletesData, confirmed: call.confirmed)
            }
            mailbox.post(.enrolmentChanged)
            sendNow()
            report()
            follower.wake()
            let delivery = WithdrawalDelivery(database: database, clock: status.stamps.clock)
            let rest = try await delivery.waitUntilDelivered(record)
            return .done(text: "withdrawn: \(record.participant) left study \(record.studyID); \(rest)")
        case .outbox(let order):
            let text = try await OutboxDecision(database: database, stamps: status.stamps).perform(order)
            wakeUploader()
            return .done(text: text)
        case .updateStudy: return .done(text: try await follower.checkNow())
        case .recordConsent(let consent):
            let text = try await follower.record(consent)
            report()
            follower.wake()
            return .done(text: text)
        case .graphs:
            try await enroller.logGraphsSeen()
            return .done(text: "")
        case .moveTimes(let changes):
            let moved = try await PromptTimeEditor(database: database, stamps: status.stamps).apply(changes)
            mailbox.post(.followed(.loggedVariables(moved.values), of: moved.enrolment))
            wakeUploader()
            return .done(text: moved.text)
        case .reward:
            let requests = ParticipantRequests(database: database, platforms: platforms, stamps: status.stamps)
            return .done(text: try await requests.reward())
        }
    }

    /// Does it again where the disk was full, once there is as much room as can be made.
    private func makingRoom<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        do { return try await work() } catch EnrolmentError.noRoomToLeave {
            await makeRoom()
            return try await work()
        }
    }

    private func enrol(_ request: EnrolmentRequest) async throws -> String {
        let text = try await enroller.enrol(request, platforms)
        mailbox.post(.enrolmentChanged)
        wakeUploader()
        report()
        follower.wake()
        return text
    }
}
