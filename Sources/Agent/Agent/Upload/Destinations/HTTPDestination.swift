// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// The study's own server: takes requests that were built beforehand; what its answers mean says
/// the platform's wire.
package struct HTTPDestination: Destination {
    /// The platform's name: items of its studies carry it.
    package let name: String
    /// True: requests carry the address of the study they were made for.
    package let hasManyServers = true
    /// As the settings say; zero = none.
    package let minimumInterval: Duration
    /// As the settings say; a server that knows a request again is always asked again.
    package let resendsUncertain: Bool
    package var knowsAgain: Bool { !wire.storesTwice }
    private let wire: any StudyWire
    private let limits: HTTPLimits
    private let secrets: @Sendable (String) throws -> String
    /// Opens files that the device encrypted for itself; nil = none is.
    private let own: DeviceOpener?

    /// A server spoken to in that wire's way. `own` opens files that are encrypted, `secrets` reads what its
    /// credentials name.
    package init(
        name: String, wire: any StudyWire, minimumInterval: Duration = .zero, resendsUncertain: Bool = true,
        limits: HTTPLimits = .init(), own: DeviceOpener? = nil,
        secrets: @escaping @Sendable (String) throws -> String = { throw RunFileError("there is no secret \($0)") }
    ) {
        (self.secrets, self.own) = (secrets, own)
        self.resendsUncertain = resendsUncertain || !wire.storesTwice
        self.name = name
        self.wire = wire
        self.minimumInterval = minimumInterval
        self.limits = limits
    }

    /// One request, then finished: the wire judges the answer. A file of a run goes in a request
    /// that the wire makes of it. Throws what the client throws, and `StoreError.encryptedContent` for a file
    /// that is encrypted to another key.
    package func send(_ job: DeliveryJob, by client: HTTPClient) throws -> DeliveryStep {
        let request: WireRequest
        switch job.content {
        case .request(let kept): request = kept
        case .file(let file):
            do { request = try self.request(file, of: job) } catch let error as StoreError { throw error } catch {
                return .finished(.refused(reason: "\(error)"))
            }
        }
        if let step = try delivered(request, job, by: client) { return step }
        do {
            let response = try client.send(
                HTTPRequest(
                    method: request.method, url: request.url, headers: request.headers, body: .bytes(request.body),
                    redirects: .sameHost, limits: limits))
            return judged(response, to: request)
        } catch {
            guard error.mayHaveArrived, wire.storesTwice else { throw error }
            // Without the remedy, which speaks of trying again: that is decided elsewhere.
            return .finished(.uncertain(reason: "\(error.url): \(error.message)"))
        }
    }

    /// A page that something in between gave.
    private struct Foreign: Error { let answer: ForeignAnswer }

    /// The next step where the wire delivers in several calls; nil where one request does. What
    /// keeps the wire itself from going on, such as a secret that cannot be read, is tried again: a
    /// person can mend it.
    private func delivered(_ request: WireRequest, _ job: DeliveryJob, by client: HTTPClient) throws -> DeliveryStep? {
        let line = WireLine(
            now: job.now, place: job.location,
            send: { call in
                let response = try client.send(
                    HTTPRequest(
                        method: call.method, url: call.url, headers: call.headers,
                        body: call.body.isEmpty ? .none : .bytes(call.body), redirects: .sameHost, limits: limits))
                if let foreign = ForeignAnswer(response), !Self.isStorage(response) { throw Foreign(answer: foreign) }
                return WireAnswer(status: response.status, body: response.body)
            }, secret: secrets, contentMD5: ContentMD5.header)
        do {
            return switch try wire.step(delivering: request, over: line) {
            case .located(let place): .located(place)
            case .finished(let verdict): .finished(verdict)
            case nil: nil
            }
        } catch let foreign as Foreign {
            return .foreign(reason: foreign.answer.reason, isPortal: foreign.answer.isPortal)
        } catch let error as TransportError {
            throw error
        } catch {
            return .finished(.retry(reason: "\(error)"))
        }
    }

    /// An object store's own refusal, which is XML (S3's REST errors), and no page.
    private static func isStorage(_ response: HTTPResponse) -> Bool {
        (400...599).contains(response.status) && response.body.starts(with: Array("<?xml".utf8))
    }

    /// Read whole: what fits into one request fits into memory.
    private func request(_ file: FileReference, of job: DeliveryJob) throws -> WireRequest {
        let path = "\(job.directory)/\(file.path)"
        let bytes = try BoundedFile.read(path, limit: Self.largest)
        guard try Digest(of: bytes).description == file.sha256 else {
            throw RunFileError("\(path): not the file that was sealed; the disk may be damaged")
        }
        if own?.isForeign(bytes) == true { throw StoreError.encryptedContent(item: job.item.item.id) }
        return try wire.request(carrying: own?.content(bytes, at: path) ?? bytes, with: file.metadata)
    }

    /// Bytes of a file that is sent in one request.
    private static let largest = 64 << 20

    /// A page is neither a receipt nor a refusal; what else a platform's gateways say in pages
    /// (504), its wire knows.
    private func judged(_ response: HTTPResponse, to request: WireRequest) -> DeliveryStep {
        let verdict = wire.verdict(status: response.status, body: response.body, to: request)
        if let foreign = ForeignAnswer(response) {
            switch verdict {
            case .delivered, .refused: return .foreign(reason: foreign.reason, isPortal: foreign.isPortal)
            case .retry, .uncertain:
                if foreign.isPortal { return .foreign(reason: foreign.reason, isPortal: true) }
            }
        }
        if case .retry(let reason) = verdict, let wait = response.retryAfter {
            return .later(reason: reason, wait: wait)
        }
        return .finished(verdict)
    }
}
