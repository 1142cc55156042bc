// SPDX-License-Identifier: Apache-2.0
import Store
import StudyModel
import Times

/// The study's own server: takes requests that were built beforehand; what its answers mean says the platform's wire.
public struct HTTPDestination: Destination {
    /// The platform's name: items of its studies carry it.
    public let name: String
    /// True: requests carry the address of the study they were made for.
    public let hasManyServers = true
    /// As the settings say; zero = none.
    public let minimumInterval: Duration
    /// As the settings say; a server that knows a request again is always asked again.
    public let resendsUncertain: Bool
    private let wire: any StudyWire
    private let limits: HTTPLimits

    /// A server spoken to in that wire's way.
    public init(
        name: String, wire: any StudyWire, minimumInterval: Duration = .zero, resendsUncertain: Bool = true,
        limits: HTTPLimits = .init()
    ) {
        self.resendsUncertain = resendsUncertain || !wire.storesTwice
        self.name = name
        self.wire = wire
        self.minimumInterval = minimumInterval
        self.limits = limits
    }

    /// One request, then finished: the wire judges the answer. Refuses files; throws what the client throws.
    public func step(_ job: DeliveryJob, by client: HTTPClient) throws -> DeliveryStep {
        guard case .request(let request) = job.content else {
            return .finished(.refused(reason: "\(name) takes no files: send them to another destination"))
        }
        do {
            let response = try client.send(
                HTTPRequest(
                    method: request.method, url: request.url, headers: request.headers, body: .bytes(request.body),
                    redirects: .sameHost, limits: limits))
            return judged(response, to: request, at: job.now)
        } catch {
            guard error.mayHaveArrived, wire.storesTwice else { throw error }
            // Without the remedy, which speaks of trying again: that is decided elsewhere.
            return .finished(.uncertain(reason: "\(error.url): \(error.message)"))
        }
    }

    /// A page is neither a receipt nor a refusal; what else a platform's gateways say in pages (504), its wire knows.
    private func judged(_ response: HTTPResponse, to request: WireRequest, at now: Instant) -> DeliveryStep {
        let verdict = wire.verdict(status: response.status, body: response.body, to: request)
        if let foreign = ForeignAnswer(response) {
            switch verdict {
            case .delivered, .refused: return .foreign(reason: foreign.reason, isPortal: foreign.isPortal)
            case .retry, .uncertain:
                if foreign.isPortal { return .foreign(reason: foreign.reason, isPortal: true) }
            }
        }
        if case .retry(let reason) = verdict, let wait = RetryAfter.wait(response, now: now) {
            return .later(reason: reason, wait: wait)
        }
        return .finished(verdict)
    }
}
