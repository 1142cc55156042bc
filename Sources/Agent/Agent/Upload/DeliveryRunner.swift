// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Carries items to a destination, each step by step (`Destination.send`), until it is delivered or its turn
/// is over: an item of a higher class waits, or the server does not get on with it.
///
/// Not `Sendable`: it belongs to a `DeliveryLane`, and blocks its thread. The lane writes what becomes
/// of an item.
final class DeliveryRunner {
    private let client: HTTPClient
    private let database: StudyDatabase
    private let destination: any Destination
    private let context: UploadContext
    private let longestWait: Duration
    private let stopFlag: StopFlag
    private var pace = ChunkPace()
    private var isOpen = false
    /// A network's log-in page answers in place of the server (a captive portal).
    private var hasPortal = false
    /// What a person has to do for this destination, as it was reported last.
    private var need: Explanation?

    /// Raising `stopFlag` ends a delivery between two steps; the client knows it, too.
    init(
        _ database: StudyDatabase, to destination: any Destination, by client: HTTPClient, context: UploadContext,
        longestWait: Duration, stopFlag: StopFlag
    ) {
        self.database = database
        self.destination = destination
        self.client = client
        self.context = context
        self.longestWait = longestWait
        self.stopFlag = stopFlag
    }

    func close() {
        if isOpen { destination.close(client) }
        isOpen = false
    }

    /// Steps until the server's last word, until it makes no more progress, or until something
    /// waits that is worth more. The destination is opened again after an item that failed.
    func run(
        _ item: OutboxItem, in queue: DeliveryQueue, leastTriedFirst: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async -> DeliveryEnding {
        var ending = await attempt(item, in: queue, leastTriedFirst)
        ending.countersigned = client.countersigned
        if case .verdict(.retry) = ending.result { close() }
        return ending
    }

    private func attempt(
        _ item: OutboxItem, in queue: DeliveryQueue, _ leastTriedFirst: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async -> DeliveryEnding {
        // It was being sent when the agent ended.
        if item.uncertain > 0, !destination.resendsUncertain {
            return .verdict(.uncertain(reason: "it was being sent when the device was switched off"))
        }
        do {
            let job = try await prepare(item)
            if !isOpen {
                try destination.open(client)
                isOpen = true
            }
            return try await deliver(job, in: queue, leastTriedFirst)
        } catch let error as StoreError {
            // The key may come back; until then only this item waits, and no server was asked.
            if case .encryptedContent = error {
                return DeliveryEnding(
                    result: .verdict(.retry(reason: "\(error)")), concernsItemOnly: true, isBeforeSending: true)
            }
            return .verdict(.refused(reason: "\(error)"))
        } catch let error as TransportError {
            if error.kind == .portal { report(portal: error.message) }
            return .verdict(error.kind == .file ? .refused(reason: "\(error)") : .retry(reason: "\(error)"))
        } catch {
            return .verdict(.retry(reason: "\(error)"))
        }
    }

    /// Reads what is to be sent, and has the client sign and add what only the lab's receiver gets.
    private func prepare(
        _ item: OutboxItem, isolation: isolated (any Actor)? = #isolation
    ) async throws -> DeliveryJob {
        (client.labHeaders, client.signer, client.countersigned) = (nil, nil, nil)
        let content = try await database.content(of: item)
        if let lab = context.lab, isLab(content) {
            client.labHeaders = LabHeaders(try await labFields(of: item), to: lab)
            client.signer = context.deviceKey().map {
                RequestSigner($0.signing, now: { [clock = context.clock] in clock.now })
            }
        }
        return DeliveryJob(
            item: item, content: content, directory: context.recordings,
            location: item.location, offset: nil, compressible: context.compressible,
            owner: try await database.owner(of: item.enrolment))
    }

    private func deliver(
        _ job: DeliveryJob, in queue: DeliveryQueue, _ leastTriedFirst: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> DeliveryEnding {
        var job = job
        var progress = UploadProgress()
        while !stopFlag.isRaised {
            let step = try takeStep(&job)
            if let ending = handle(step) { return ending }
            guard progress.record(step) else { return .verdict(.retry(reason: "the server redirects in circles")) }
            try await apply(step, into: &job)
            if case .progressed = step, try await isOvertaken(job.item, in: queue, leastTriedFirst) {
                return DeliveryEnding(result: .paused)
            }
        }
        return .verdict(.retry(reason: "cancelled because studyd is stopping"))
    }

    /// Whether the content goes to the lab's receiver, which may be the study's server too.
    private func isLab(_ content: ItemContent) -> Bool {
        guard let lab = context.lab.flatMap(WebOrigin.init) else { return false }
        if case .request(let request) = content, destination.hasManyServers { return WebOrigin(request.url) == lab }
        return destination.address.flatMap(WebOrigin.init) == lab
    }

    /// The fields that only the lab's receiver gets, with every request: the end of the log
    /// (`LogWitness`), and how the prompts went (`ComplianceHeader`).
    private func labFields(
        of item: OutboxItem, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [WireRequest.Header] {
        guard let witness = try await database.witness(of: item.item.id) else { return [] }
        let stamp = context.stamp(item.enrolment)
        let compliance = try await database.compliance(of: item.enrolment, at: stamp.wall, offset: stamp.zoneOffset)
        return [.init(name: LogWitness.field, value: witness.text)]
            + (compliance.map { [.init(name: ComplianceHeader.field, value: $0.text)] } ?? [])
    }

    /// One step, with as many bytes as the network carries in some seconds.
    private func takeStep(_ job: inout DeliveryJob) throws -> DeliveryStep {
        job.chunk = pace.chunk
        job.now = context.clock.now
        let began = context.clock.monotonic
        do {
            let step = try destination.send(job, by: client)
            if case .progressed(let now?) = step, let before = job.offset, now > before {
                pace.recordTransfer(of: now - before, in: context.clock.monotonic - began)
            }
            return step
        } catch {
            pace.recordFailure()
            throw error
        }
    }

    /// Reports log-in pages and needs. Returns how the item's turn ends with this step; nil where the next step
    /// follows.
    private func handle(_ step: DeliveryStep) -> DeliveryEnding? {
        switch step {
        case .located, .progressed:
            report(portal: nil)
            return nil
        case .finished(let verdict):
            if case .retry = verdict {
            } else {
                report(portal: nil)
                report(need: destination.warning(at: context.clock.now))
            }
            return .verdict(verdict)
        case .held(let reason):
            report(portal: nil)
            // Only this item waits for its retry.
            return DeliveryEnding(result: .verdict(.retry(reason: reason)), concernsItemOnly: true)
        case .blocked(let explanation, let wait):
            report(portal: nil)
            report(need: explanation)
            return DeliveryEnding(result: .verdict(.retry(reason: explanation.description)), retryAfter: wait)
        case .foreign(let reason, let isPortal):
            if isPortal { report(portal: reason) }
            return .verdict(.retry(reason: reason))
        case .later(let reason, let wait):
            report(portal: nil)
            return DeliveryEnding(result: .verdict(.retry(reason: reason)), retryAfter: wait)
        }
    }

    /// Reports a log-in page when it appears, and that it is gone once the server itself answers: a request
    /// without an answer shows neither.
    private func report(portal reason: String?) {
        guard hasPortal != (reason != nil) else { return }
        hasPortal = reason != nil
        let words = reason.map {
            "a login page blocks the server of '\(destination.name)' (\(DeliveryBackoff.bounded($0))); "
                + "nothing is delivered until the device is logged in to its network or uses another one"
        }
        context.report(.portal(destination: destination.name, words))
    }

    private func report(need: Explanation?) {
        guard need != self.need else { return }
        self.need = need
        context.report(.need(destination: destination.name, need?.within(destination.name)))
    }

    /// Whether something of a higher class waits in the same queue.
    private func isOvertaken(
        _ item: OutboxItem, in queue: DeliveryQueue, _ leastTriedFirst: Bool,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Bool {
        let next = try await database.nextItem(
            UploadChoice(
                destination: queue.destination, enrolment: queue.enrolment, now: context.clock.now,
                resettingBackoffBefore: nil, leastTriedFirst: leastTriedFirst, longestWait: longestWait))
        // Only by what would be sent next: else this item would be begun again at once, and pause
        // again, without end.
        return next.map {
            $0.item.itemClass < item.item.itemClass && (!leastTriedFirst || $0.attempts <= item.attempts)
        } ?? false
    }

    /// Keeps what a step found out for the next one; a place goes into the log as well.
    private func apply(
        _ step: DeliveryStep, into job: inout DeliveryJob, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        switch step {
        case .located(let location):
            job.location = location
            job.offset = nil
            try await database.locateUpload(
                job.item.item.id, url: location ?? "", at: context.stamp(job.item.enrolment))
        case .progressed(let offset): job.offset = offset
        case .finished, .foreign, .later, .held, .blocked: break
        }
    }
}

/// Notices a server that answers for ever without taking anything: `DeliveryRunner` makes one for each item's turn.
struct UploadProgress {
    private var furthest: Int64 = -1
    private var idle = 0

    /// Counts steps that brought nothing new; false after ten.
    mutating func record(_ step: DeliveryStep) -> Bool {
        if case .progressed(let offset?) = step, offset > furthest {
            furthest = offset
            idle = 0
        } else {
            idle += 1
        }
        return idle < 10
    }
}

/// How an item's turn (all steps of one attempt to send it) ended; `DeliveryBackoff` decides by it what comes next.
struct DeliveryEnding: Sendable {
    enum Result: Sendable {
        case verdict(Verdict)
        /// Interrupted without a fault; the attempt does not count.
        case paused
    }

    let result: Result
    /// The server's Retry-After (RFC 9110 §10.2.3); zero = it asked for no wait.
    var retryAfter: Duration = .zero
    /// A failure of this item alone: others need not wait for its retry.
    var concernsItemOnly = false
    /// The failure came before any server was asked, so it says nothing about the server.
    var isBeforeSending = false
    /// What the lab's receiver signed about the log with its last answer.
    var countersigned: String?

    static func verdict(_ verdict: Verdict) -> DeliveryEnding { DeliveryEnding(result: .verdict(verdict)) }
}
