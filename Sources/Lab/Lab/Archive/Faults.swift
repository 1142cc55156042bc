// SPDX-License-Identifier: Apache-2.0
import Base
import Synchronization

/// The fault in force and what is answered to a schema post that was taken. Routes for devices put their
/// handlers behind it (`around`).
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
            guard let fault = self.fault, self.draw() < fault.share else { return try await handler(request) }
            switch fault.kind {
            case .status(let status): throw HTTPFailure(status, "a requested fault")
            case .hang: try await self.clock.sleep(until: self.clock.monotonic + Self.hangTime)
            case .close: break
            case .lost: _ = try await handler(request)
            }
            return HTTPResponse(500, content: .hangUp)
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
