// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// The study's own server; `UploaderMaker` makes one for each platform. It gets requests that were built
/// beforehand, and the platform's `StudyWire` says what its answers mean.
package struct HTTPDestination: Destination {
    /// The platform's name: items of its studies carry it.
    package let name: String
    /// True: requests carry the address of the study they were made for.
    package let hasManyServers = true
    package let minimumInterval: Duration
    /// True whatever was given for a server that recognises a repeated request.
    package let resendsUncertain: Bool
    package var recognisesRepeats: Bool { !wire.storesTwice }
    private let wire: any StudyWire
    private let limits: HTTPLimits
    private let secrets: @Sendable (String) throws -> String
    /// Opens files that the device encrypted for itself; nil = it encrypts none.
    private let opener: DeviceOpener?

    /// `secrets` reads the secret that the platform's credentials name.
    package init(
        name: String, wire: any StudyWire, minimumInterval: Duration = .zero, resendsUncertain: Bool = true,
        limits: HTTPLimits = .init(), opener: DeviceOpener? = nil,
        secrets: @escaping @Sendable (String) throws -> String = { throw RunFileError("there is no secret \($0)") }
    ) {
        (self.secrets, self.opener) = (secrets, opener)
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
        if let step = try wireStep(request, job, by: client) { return step }
        do {
            let response = try client.send(
                HTTPRequest(
                    method: request.method, url: request.url, headers: request.headers, body: .bytes(request.body),
                    redirects: .sameHost, limits: limits))
            return step(for: response, to: request)
        } catch {
            guard error.mayHaveArrived, wire.storesTwice else { throw error }
            // The remedy is left out: it speaks of trying again, and `resendsUncertain` decides on that.
            return .finished(.uncertain(reason: "\(error.url): \(error.message)"))
        }
    }

    /// The answer was a page of something between us and the server, such as a captive portal.
    private struct ForeignAnswerError: Error { let answer: ForeignAnswer }

    /// Takes the next step of a wire that needs several calls to deliver; nil where one request does. An
    /// error of the wire itself, such as a secret that cannot be read, is retried, since a person can correct
    /// it.
    private func wireStep(_ request: WireRequest, _ job: DeliveryJob, by client: HTTPClient) throws
        -> DeliveryStep?
    {
        let transport = WireTransport(
            now: job.now, location: job.location,
            send: { call in
                let response = try client.send(
                    HTTPRequest(
                        method: call.method, url: call.url, headers: call.headers,
                        body: call.body.isEmpty ? .none : .bytes(call.body), redirects: .sameHost, limits: limits))
                if let foreign = ForeignAnswer(response), !Self.isStorageError(response) {
                    throw ForeignAnswerError(answer: foreign)
                }
                return ServerAnswer(status: response.status, body: response.body)
            }, secret: secrets, contentMD5: ContentMD5.header)
        do {
            return switch try wire.step(delivering: request, over: transport) {
            case .located(let place): .located(place)
            case .finished(let verdict): .finished(verdict)
            case nil: nil
            }
        } catch let foreign as ForeignAnswerError {
            return .foreign(foreign.answer)
        } catch let error as TransportError {
            throw error
        } catch {
            return .finished(.retry(reason: "\(error)"))
        }
    }

    /// An object store's own refusal, which is XML (S3's REST errors), and no page.
    private static func isStorageError(_ response: HTTPResponse) -> Bool {
        (400...599).contains(response.status) && response.body.starts(with: Array("<?xml".utf8))
    }

    /// The request for a file, which is read whole: what fits into one request fits into memory.
    private func request(_ file: FileReference, of job: DeliveryJob) throws -> WireRequest {
        let path = "\(job.directory)/\(file.path)"
        let bytes = try BoundedFile.read(path, limit: Self.largest)
        guard try Digest(of: bytes).description == file.sha256 else {
            throw RunFileError("\(path): not the file that was sealed; the disk may be damaged")
        }
        if opener?.isForeign(bytes) == true { throw StoreError.encryptedContent(item: job.item.item.id) }
        return try wire.request(carrying: opener?.content(bytes, at: path) ?? bytes, with: file.metadata)
    }

    /// The most bytes of a file that is sent in one request.
    private static let largest = 64 << 20

    /// The step for an answer. An HTML page is neither a receipt nor a refusal; for a retry the wire's own
    /// verdict stands (a platform's gateway answers 504 with a page) unless it is a captive portal.
    private func step(for response: HTTPResponse, to request: WireRequest) -> DeliveryStep {
        let verdict = wire.verdict(status: response.status, body: response.body, to: request)
        if let foreign = ForeignAnswer(response) {
            switch verdict {
            case .delivered, .refused: return .foreign(foreign)
            case .retry, .uncertain: if foreign.isPortal { return .foreign(foreign) }
            }
        }
        if case .retry(let reason) = verdict { return .retry(reason, after: response) }
        return .finished(verdict)
    }
}
