// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization

/// A fault that the server simulates, to try out how devices cope with it.
enum Fault: Hashable, Sendable, CustomStringConvertible {
    /// Nothing is taken; the answer is this status, with this probability.
    case status(Int, Double)
    /// Nothing is taken; no answer comes for a long time, with this probability.
    case hang(Double)
    /// Nothing is taken; the connection is closed, with this probability.
    case close(Double)
    /// All is taken, but the answer is lost on its way, with this probability: how
    /// duplicates come to be.
    case lost(Double)

    /// `500`, `503:0.3`, `hang`, `close:0.1`, `lost:0.5`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let share = parts.count == 2 ? Double(parts[1]) : 1, (0...1).contains(share) else {
            return nil
        }
        switch parts[0] {
        case "hang": self = .hang(share)
        case "close": self = .close(share)
        case "lost": self = .lost(share)
        default:
            guard let status = Int(parts[0]), (400...599).contains(status) else { return nil }
            self = .status(status, share)
        }
    }

    var description: String {
        switch self {
        case .status(let status, let share): "\(status):\(share)"
        case .hang(let share): "hang:\(share)"
        case .close(let share): "close:\(share)"
        case .lost(let share): "lost:\(share)"
        }
    }
}

/// The fault in force and what is answered to a schema post that was taken.
package final class Faults: Sendable {
    private struct State {
        var fault: Fault?
        var answer = HTTPResponse.text("true")
    }

    private let state: Mutex<State>
    private let clock: any StudyClock
    private let draw: @Sendable () -> Double
    private static let hangTime: Duration = .seconds(600)

    /// `draw` gives numbers in 0..<1.
    init(_ fault: Fault?, clock: any StudyClock, draw: @escaping @Sendable () -> Double) {
        state = Mutex(State(fault: fault))
        self.clock = clock
        self.draw = draw
    }

    var fault: Fault? {
        get { state.withLock(\.fault) }
        set { state.withLock { $0.fault = newValue } }
    }

    /// What a schema post that was taken is answered with; `true` with 200 unless set.
    var answer: HTTPResponse {
        get { state.withLock(\.answer) }
        set { state.withLock { $0.answer = newValue } }
    }

    /// The same handler, behind the fault in force.
    package func around(_ handler: @escaping Router.Handler) -> Router.Handler {
        { request in
            switch self.fault {
            case .status(let status, let share) where self.draw() < share:
                throw HTTPFailure(status, "a requested fault")
            case .hang(let share) where self.draw() < share:
                try await self.clock.sleep(until: self.clock.monotonic + Self.hangTime)
                return HTTPResponse(500, content: .hangUp)
            case .close(let share) where self.draw() < share:
                return HTTPResponse(500, content: .hangUp)
            case .lost(let share) where self.draw() < share:
                _ = try await handler(request)
                return HTTPResponse(500, content: .hangUp)
            default: return try await handler(request)
            }
        }
    }
}

extension Faults {
    /// `POST /control/fault?mode=MODE` and `POST /control/answer?status=N&body=TEXT`, for
    /// loopback clients only.
    func addRoutes(to router: inout Router, _ guarded: Guarded, _ register: LabRegister) {
        let setFault: Router.Handler = { request in
            try Self.checkOrigin(request)
            let mode = request.queryItem("mode") ?? ""
            guard mode == "none" || Fault(mode) != nil else {
                throw HTTPFailure(
                    400, "mode must be none, 500, hang, close or lost, the last four optionally with :PROBABILITY")
            }
            self.fault = Fault(mode)
            try await self.log("fault \(mode)", request, register)
            return .text("\(mode)\n")
        }
        let setAnswer: Router.Handler = { request in
            try Self.checkOrigin(request)
            guard let status = Int(request.queryItem("status") ?? "200"), (200...599).contains(status) else {
                throw HTTPFailure(400, "status must be a number from 200 to 599")
            }
            self.answer = .text(request.queryItem("body") ?? "true", status: status)
            try await self.log("answer \(status)", request, register)
            return .text("\(status)\n")
        }
        router.on("POST", "/control/fault", handler: guarded.changing(setFault))
        router.on("POST", "/control/answer", handler: guarded.changing(setAnswer))
    }

    private func log(_ what: String, _ request: HTTPRequest, _ register: LabRegister) async throws {
        try await register.log(
            .fault, "", after: what, by: Guarded.name(request), from: request.origin.client, at: clock.now)
    }

    /// A page of some other site, open in a browser on this machine, must not steer us.
    package static func checkOrigin(_ request: HTTPRequest) throws(HTTPFailure) {
        guard request.origin.isLoopback, request.fields["origin"] == nil else {
            throw HTTPFailure(403, "only allowed from this machine")
        }
    }
}
