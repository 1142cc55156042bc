// SPDX-License-Identifier: Apache-2.0
import Hardware
import Logging
import ServiceLifecycle
import Store
import StudyModel
import Times

/// Answers the commands that come through the control socket.
struct ControlService: Service {
    let socket: ControlSocket
    let database: StudyDatabase
    let enroller: Enroller
    let status: StatusReader
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
        socket: ControlSocket, database: StudyDatabase, enroller: Enroller, status: StatusReader, mailbox: Mailbox,
        log: Logger
    ) {
        self.socket = socket
        self.database = database
        self.enroller = enroller
        self.status = status
        self.mailbox = mailbox
        self.log = log
    }

    func run() async throws {
        let thread = try MeasuringThread(name: "studyd-control") { [socket, changes, questions] in
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
    func withdrawFromPanel() {
        changes.continuation.yield(ControlCall(request: ControlRequest(verb: "withdraw")) { _ in })
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
        switch request.verb {
        case "status":
            return try await status.text(
                json: request.options["json"] != nil, uploads: request.options["uploads"] != nil)
        case "enroll": return try await enrol(request.options)
        case "withdraw":
            let record = try await enroller.withdraw(deletesUnsent: request.options["unsent"].map { $0 == "delete" })
            mailbox.post(.enrolmentChanged)
            return "withdrawn: \(record.participant) left study \(record.studyID)"
        case "graphs":
            try await enroller.graphsSeen()
            return ""
        default: throw UnknownVerb(verb: request.verb)
        }
    }

    private func enrol(_ options: [String: String]) async throws -> String {
        let source = options["source"] ?? ""
        let platform = options["format"].flatMap(StudyPlatform.init)
        let loaded = try await onThread("studyd-load") { try LoadedStudy.load(source, platform: platform) }
        let remarks = EnrolmentRemarks()
        let wish = Enroller.Wish(
            loaded: loaded, participant: options["participant"], seed: options["seed"].flatMap(UInt64.init),
            postURL: options["post_url"])
        let record = try await enroller.enrol(wish) { remarks.note($0) }
        mailbox.post(.enrolmentChanged)
        return record.summary + remarks.lines
    }
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
