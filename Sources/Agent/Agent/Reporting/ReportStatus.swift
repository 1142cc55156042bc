// SPDX-License-Identifier: Apache-2.0
import Base

/// How the lab's receiver took the last report: `ReportService` puts it into `SharedState`, for status and faults.
package struct ReportStatus: Sendable, Hashable {
    /// Nil while none was sent.
    private(set) var last: ReportMemory.Ending?
    private(set) var lastReceived: ReportMemory.Ending?
    /// The receiver is there and does not take this device's reports; nil while it does.
    private(set) var fault: Explanation?
    /// It does not know the device's key, or no longer.
    private(set) var isBarred = false

    package init() {}

    /// After that answer; nil = none, so that the fault of `before` stays.
    init(_ memory: ReportMemory, _ answer: LabAnswer? = nil, before: ReportStatus = .init()) {
        (last, lastReceived) = (memory.last, memory.lastReceived)
        switch answer {
        case .received?: (fault, isBarred) = (nil, false)
        case .keyUnknown?, .codeRefused?, .revoked?: (fault, isBarred) = (answer?.fault, true)
        case .refused?: (fault, isBarred) = (answer?.fault, false)
        // A network that is gone says nothing new.
        case .unavailable?, nil: (fault, isBarred) = (before.fault, before.isBarred)
        }
    }

    /// One line of the status page; nil while no report was sent.
    var line: String? {
        guard let last else { return nil }
        let text = "\(last.at): \(last.answer)"
        guard let lastReceived, lastReceived != last else { return text }
        return text + "; the last one received was at \(lastReceived.at)"
    }

    var json: JSONText {
        .objectWithNulls(["last": last.map(\.json), "lastReceived": lastReceived.map(\.json)])
    }
}

extension ReportMemory.Ending {
    fileprivate var json: JSONText {
        .object(["number": .integer(number), "at": .string(at), "answer": .string(answer)])
    }
}
