// SPDX-License-Identifier: Apache-2.0
import Hardware
import Logging
import PlatformKit
import ServiceLifecycle
import Store
import StudyModel
import SystemKit
import Times

/// Answers the commands that come through the control socket.
struct ControlService: Service {
    let socket: ControlSocket
    let database: StudyDatabase
    let enroller: Enroller
    let status: StatusReader
    let platforms: PlatformCatalog
    let follower: StudyFollower
    let wakeUploader: @Sendable () -> Void
    /// Everything that waits is tried at once.
    let sendNow: @Sendable () -> Void
    let mailbox: Mailbox
    let log: Logger
    private let changes = Line()
    /// Apart, so that `status` answers while an enrolment waits for a slow server.
    private let questions = Line()

    /// Calls that are answered one after the other.
    private struct Line: Sendable {
        let calls: AsyncStream<ControlCall>
        let continuation: AsyncStream<ControlCall>.Continuation

        init() {
            (calls, continuation) = AsyncStream.makeStream(of: ControlCall.self, bufferingPolicy: .bufferingOldest(64))
        }
    }

    init(
        socket: ControlSocket, database: StudyDatabase, enroller: Enroller, status: StatusReader,
        platforms: PlatformCatalog, follower: StudyFollower,
        wakeUploader: @escaping @Sendable () -> Void, sendNow: @escaping @Sendable () -> Void, mailbox: Mailbox,
        log: Logger
    ) {
        self.socket = socket
        self.database = database
        self.enroller = enroller
        self.status = status
        self.platforms = platforms
        self.follower = follower
        self.wakeUploader = wakeUploader
        self.sendNow = sendNow
        self.mailbox = mailbox
        self.log = log
    }

    func run() async throws {
        let thread = try NamedThread(name: "studyd-control") { [socket, changes, questions] in
            socket.serve { call in
                let line = call.request.verb == "status" ? questions : changes
                if case .enqueued = line.continuation.yield(call) { return }
                call.reply(ControlReply(succeeded: false, text: "the agent is busy; try again"))
            }
        }
        await withGracefulShutdownHandler {
            async let asked: Void = answer(questions)
            await answer(changes)
            await asked
        } onGracefulShutdown: {
            changes.continuation.finish()
            questions.continuation.finish()
        }
        socket.stop()
        thread.join()
        socket.close()
    }

    /// The participant confirmed leaving on the panel.
    func withdrawFromPanel(deletesData: Bool?) {
        let options = deletesData.map { ["data": $0 ? "delete" : "keep"] } ?? [:]
        changes.continuation.yield(ControlCall(request: ControlRequest(verb: "withdraw", options: options)) { _ in })
    }

    private func answer(_ line: Line) async {
        for await call in line.calls { await answer(call) }
    }

    private func answer(_ call: ControlCall) async {
        do {
            call.reply(ControlReply(succeeded: true, text: try await perform(call.request)))
        } catch {
            call.reply(ControlReply(succeeded: false, text: "\(error)"))
        }
    }

    private func perform(_ request: ControlRequest) async throws -> String {
        guard await database.isCurrent || request.verb == "status" else {
            throw ControlBusy(description: "the agent still reads its log after an update; try again in a minute")
        }
        switch request.verb {
        case "status":
            return try await status.text(
                json: request.options["json"] != nil, uploads: request.options["uploads"] != nil)
        case "enroll": return try await enrol(request.options)
        case "withdraw":
            let deletes = try request.options.read("unsent", "'delete' or 'keep'") {
                ["delete": true, "keep": false][$0]
            }
            let data = try request.options.read("data", "'delete' or 'keep'") { ["delete": true, "keep": false][$0] }
            let record = try await enroller.withdraw(deletesUnsent: deletes, deletesData: data)
            mailbox.post(.enrolmentChanged)
            sendNow()
            follower.wake()
            let rest = try await Farewell(database: database, clock: status.stamps.clock).words(of: record)
            return "withdrawn: \(record.participant) left study \(record.studyID); \(rest)"
        case "outbox":
            let decision = OutboxDecision(database: database, stamps: status.stamps)
            let text =
                if let since = request.options["since"] {
                    try await decision.resendDelivered(since: since, until: request.options["until"])
                } else {
                    try await decision.perform(request.options["act"] ?? "", on: request.options["id"] ?? "")
                }
            wakeUploader()
            return text
        case "update-study":
            return try await follower.lookNow()
        case "graphs":
            try await enroller.graphsSeen()
            return ""
        default: throw UnknownVerb(verb: request.verb)
        }
    }

    private func enrol(_ options: [String: String]) async throws -> String {
        var request = EnrolmentRequest(source: options["source"] ?? "")
        request.platform = try options.read("format", "a platform's name") { [platforms] text in
            platforms.names.contains(text) ? PlatformName(rawValue: text) : nil
        }
        request.seed = try options.read("seed", "a whole number", { UInt64($0) })
        for option in platforms.options([.reading, .enrolling]) {
            if let value = options[option.controlName] { request.arguments.add(option.name, value) }
        }
        request.participant = options["participant"]
        request.postURL = options["post_url"]
        request.allowsSilence = options["without_sounds"] != nil
        request.consent = options["consent"].map { (Array($0.utf8), options["consent_file"] ?? "the consent file") }
        let wish = try await onThread("studyd-load") { [request, platforms] in try request.wish(platforms) }
        let remarks = EnrolmentRemarks()
        let record = try await enroller.enrol(wish) { remarks.note($0) }
        mailbox.post(.enrolmentChanged)
        wakeUploader()
        follower.wake()
        return record.summary + remarks.lines
    }
}

extension [String: String] {
    /// The option of that name, nil where it is absent; what cannot be read is not taken for absent.
    fileprivate func read<Meaning>(
        _ name: String, _ expected: String, _ read: (String) -> Meaning?
    ) throws -> Meaning? {
        guard let text = self[name] else { return nil }
        guard let value = read(text) else { throw BadOption(name: name, text: text, expected: expected) }
        return value
    }
}

extension PlatformOption {
    /// Its name among the options of a call to the running agent.
    public var controlName: String { String(name.map { $0 == "-" ? "_" : $0 }) }
}

/// An option whose text means nothing.
struct BadOption: Error, CustomStringConvertible {
    let name: String
    let text: String
    let expected: String
    var description: String { "--\(name) is '\(text)'; write \(expected)" }
}

/// A verb that this agent does not have.
struct UnknownVerb: Error, CustomStringConvertible {
    let verb: String
    var description: String { "the running agent knows no '\(verb)'; is it an older version? Restart it" }
}

extension EnrolmentRecord {
    /// One line for whoever enrolled.
    public var summary: String {
        "enrolled: participant \(participant) in study \(studyID)" + (condition.map { ", condition \($0)" } ?? "")
    }
}

/// What is asked for cannot be done yet.
private struct ControlBusy: Error, CustomStringConvertible {
    let description: String
}
