// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Logs the beginning and the end of each attempt to send an item of the outbox. A `DeliveryLane` calls `startUploads`,
/// sends, then `finishUpload` for each item, or `returnUploads` for those it did not send.
struct UploadAttempts {
    private let log: EventLog
    private let outbox: Outbox
    private let history: EnrolmentHistory

    init(_ store: OpenStore) {
        (log, outbox, history) = (store.log, Outbox(store), EnrolmentHistory(store))
    }

    /// Chooses what is sent next and logs that its attempts begin, in one transaction and with one flush: one
    /// item, or up to `most` requests of one class and enrolment, in the order in which they are to be sent.
    func startUploads(
        _ choice: UploadChoice, most: Int, at stamp: @Sendable (_ enrolment: String) -> EventStamp
    ) throws -> [OutboxItem] {
        guard let first = try outbox.nextItem(choice) else { return [] }
        return try log.transaction {
            var begun: [OutboxItem] = []
            var candidate: OutboxItem? = first
            while let item = candidate, try startUpload(item.item.id, at: stamp(item.enrolment)) {
                begun.append(item)
                guard begun.count < most, item.item.file == nil else { break }
                candidate = try outbox.nextItem(choice).flatMap { Self.mayFollow($0, first) ? $0 : nil }
            }
            return begun
        }
    }

    /// Makes items wait again that were begun and of which nothing was sent; the attempt does not count.
    func returnUploads(_ ids: [String], at stamp: EventStamp) throws {
        try log.transaction {
            for id in ids where try outbox.item(id)?.state == .sending {
                try log.append([.uploadPaused(item: id)], at: stamp)
            }
        }
    }

    /// Logs that an attempt begins. False when the item is no longer waiting: then it must not be sent.
    func startUpload(_ id: String, at stamp: EventStamp) throws -> Bool {
        guard try outbox.item(id)?.state == .waiting else { return false }
        try log.append([.uploadStarted(item: id)], at: stamp)
        return true
    }

    /// Keeps the place (URL) that the server made for an item that is being sent; empty when the place is gone.
    func locateUpload(_ id: String, url: String, at stamp: EventStamp) throws {
        try log.append([.uploadLocated(item: id, url: url)], at: stamp)
    }

    /// Logs how an attempt ended. A receipt counts whatever has become of the item meanwhile; any other
    /// result is ignored unless the item is still being sent. Without `flushing` all readers see it and it
    /// outlives the process; a power cut before `flush` has the item sent again.
    func finishUpload(
        _ id: String, _ result: UploadResult, flushing: Bool, at stamp: EventStamp
    ) throws {
        try log.transaction(flushing: flushing) { try writeEnd(id, result, at: stamp) }
    }

    /// Whether `item` may be begun together with `first`.
    private static func mayFollow(_ item: OutboxItem, _ first: OutboxItem) -> Bool {
        item.item.file == nil && item.item.itemClass == first.item.itemClass && item.enrolment == first.enrolment
    }

    private func writeEnd(_ id: String, _ result: UploadResult, at stamp: EventStamp) throws {
        guard let item = try outbox.item(id) else { throw StoreError.noSuchItem(id) }
        guard case .delivered(let receipt, let countersigned) = result else {
            if item.state == .sending { try log.append(Self.events(of: result, id), at: stamp) }
            return
        }
        // `countersigned`: what the lab's receiver signed about the log with its answer; nil = nothing.
        let event = StudyEvent.uploadDelivered(item: id, receipt: receipt, countersigned: countersigned)
        // Where answers were erased, the bytes go at once; all others stay for `resendDelivered`
        // as long as `RetentionPolicy.keepAnswers` says.
        if try history.hasErasedAnswers(of: item.enrolment) {
            try outbox.finish(item, event, at: stamp)
        } else {
            try log.append([event], at: stamp)
        }
    }

    /// How the log describes an attempt without a receipt.
    private static func events(of result: UploadResult, _ id: String) -> [StudyEvent] {
        switch result {
        case .delivered: []
        case .refused(let reason): [.uploadRefused(item: id, reason: reason)]
        case .failed(let reason, let retryAt): [.uploadFailed(item: id, reason: reason, retryAt: retryAt)]
        // It may have arrived, and is sent again at `retryAt`.
        case .uncertain(let reason, .some(let retryAt)):
            [
                .uploadUncertain(item: id, reason: reason, resends: true),
                .uploadFailed(item: id, reason: sentAgain + reason, retryAt: retryAt),
            ]
        // It may have arrived, and is only sent again by hand.
        case .uncertain(let reason, .none):
            [
                .uploadUncertain(item: id, reason: reason, resends: false),
                .uploadRefused(item: id, reason: held + reason),
            ]
        case .paused: [.uploadPaused(item: id)]
        }
    }

    /// It was refused because it may have arrived, not by a server.
    static func isHeld(_ item: OutboxItem) -> Bool { item.state == .refused && item.note?.hasPrefix(held) ?? false }

    private static let sentAgain = "sent, but no reply; resending, so the server may have it twice: "

    private static let held =
        "sent, but no reply; kept until you decide, so that the server does not have it twice: "
}

/// What a `DeliveryLane` looks for in the outbox when something can be sent (`Outbox.nextItem`).
package struct UploadChoice: Sendable, Hashable {
    package let destination: String
    /// Of that enrolment; nil = of all.
    package let enrolment: String?
    /// The wall clock: an item with a later retry is passed over.
    package let now: Instant
    /// Items last tried before this need not wait for their retry.
    package let resettingBackoffBefore: Instant?
    /// The destination has just failed: what was tried least often comes first.
    package let leastTriedFirst: Bool
    /// A retry that lies further ahead was planned by a clock that was wrong.
    package let longestWait: Duration
    /// Only answers, and what ends an enrolment: the rest is gathered.
    package var onlyUrgent = false
}

/// How an attempt to send ended, as a `DeliveryLane` passes it to `finishUpload`.
package enum UploadResult: Sendable, Hashable {
    /// `countersigned` is what the lab's receiver signed about the log.
    case delivered(receipt: String, countersigned: String? = nil)
    case refused(reason: String)
    case failed(reason: String, retryAt: Instant)
    /// Sent, and its arrival is unknown; nil = only sent again by hand.
    case uncertain(reason: String, retryAt: Instant?)
    /// Something of a higher priority goes first; the server keeps what it has of this one.
    case paused
}
