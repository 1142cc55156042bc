// SPDX-License-Identifier: Apache-2.0
import Agent
import Base
import Glibc
import Study
import SystemKit

/// What it costs to send.
enum DeliveryBench {
    /// A report with everything that it signs; its own hash, and the signature.
    static func signing() throws -> Figure {
        let (key, clock) = (DeviceKey(), SystemClock())
        let signer = RequestSigner(key.signing, now: { clock.now })
        let request = HTTPRequest(
            method: "POST", url: "https://lab.example:8443/reports", body: .bytes([UInt8](repeating: 0x5A, count: 4096))
        )
        let headers = [
            WireRequest.Header(name: "Content-Type", value: "application/json"),
            WireRequest.Header(name: "Studyd-Device", value: "P017"),
        ]
        let rate = try Stopwatch.rate { try signer.fields(of: request, headers: headers).isEmpty ? 0 : 1 }
        return Figure(name: "signing of a report", value: 1000 / rate, unit: "ms", limit: 1)
    }

    /// The files of a folder, through outbox and uploader, signed, to the last receipt of a receiver.
    static func delivery(to url: String, filesIn folder: String) async throws -> Figure {
        let (clock, names) = (SystemClock(), try FolderListing.names(in: folder).sorted())
        let database = try StudyDatabase(.file(folder + "-outbox.sqlite"), recordings: folder)
        let stamp = EventStamp(
            wall: clock.now, monotonic: clock.monotonic, bootID: "bench", zoneOffset: 0, enrolment: "bench")
        var bytes: Int64 = 0
        for (number, name) in names.enumerated() {
            let file = try reference(folder, name, number)
            bytes += file.bytes
            let draft = OutboxDraft(
                origin: "recording \(number)", itemClass: .motion, destination: TusDestination.labName,
                content: .file(file))
            _ = try await database.append([], sending: [draft], at: stamp)
        }
        let key = DeviceKey()
        let (delivered, told) = AsyncStream<Void>.makeStream()
        let uploader = Uploader(
            database, to: [TusDestination(name: TusDestination.labName, endpoint: url)],
            context: UploadContext(
                clock: clock, recordings: folder, lab: url, deviceKey: { key }, stamp: { _ in stamp },
                report: {
                    if case .delivered = $0 { told.yield() }
                    if case .fault(let fault) = $0 { print("fault: \(fault)") }
                }), seed: 1, userAgent: AgentVersion.userAgent)
        let start = clock.monotonic
        let running = Task { await uploader.run() }
        for await _ in delivered {
            let items = try await database.counts().items
            if items[.waiting] ?? 0 == 0, items[.sending] ?? 0 == 0 { break }
        }
        let seconds = (clock.monotonic - start).seconds
        uploader.stop()
        await running.value
        return Figure(
            name: "delivery to a receiver on the loopback", value: Double(bytes) / 1e6 / seconds, unit: "MB/s")
    }

    /// By how much what goes elsewhere is later beside a server that takes connections and never answers; the
    /// item for that one comes first.
    static func delay(of url: String, filesIn folder: String) async throws -> Figure {
        let listener = try SilentListener()
        let alone = try await delivery(to: url, besides: nil, folder)
        let beside = try await delivery(to: url, besides: listener.url, folder)
        return Figure(
            name: "delay by a server that never answers", value: max(0, beside - alone), unit: "s", limit: 1)
    }

    /// Seconds from the start to the receipt of one small file.
    private static func delivery(to url: String, besides silent: String?, _ folder: String) async throws -> Double {
        let clock = SystemClock()
        let database = try StudyDatabase(.memory)
        let stamp = EventStamp(
            wall: clock.now, monotonic: clock.monotonic, bootID: "bench", zoneOffset: 0, enrolment: "bench")
        let bytes = [UInt8](repeating: UInt8(silent == nil ? 1 : 2), count: 100_000)
        try AtomicFile.write(bytes, to: folder + "/small")
        defer { unlink(folder + "/small") }
        let file = try reference(folder, "small", silent == nil ? 1001 : 1002)
        let names = (silent == nil ? [] : ["silent"]) + [TusDestination.labName]
        for name in names {
            let draft = OutboxDraft(
                origin: "recording \(name)", itemClass: .motion, destination: name, content: .file(file))
            _ = try await database.append([], sending: [draft], at: stamp)
        }
        let (delivered, told) = AsyncStream<Void>.makeStream()
        let uploader = Uploader(
            database,
            to: (silent.map { [TusDestination(name: "silent", endpoint: $0)] } ?? [])
                + [TusDestination(name: TusDestination.labName, endpoint: url)],
            context: UploadContext(
                clock: clock, recordings: folder, stamp: { _ in stamp },
                report: {
                    if case .delivered = $0 { told.yield() }
                    if case .fault(let fault) = $0 { print("fault: \(fault)") }
                }), seed: 1, userAgent: AgentVersion.userAgent)
        let start = clock.monotonic
        let running = Task { await uploader.run() }
        for await _ in delivered { break }
        let seconds = (clock.monotonic - start).seconds
        uploader.stop()
        await running.value
        return seconds
    }

    private static func reference(_ folder: String, _ name: String, _ number: Int) throws -> FileReference {
        let path = "\(folder)/\(name)"
        return FileReference(
            path: name, sha256: try Digest(ofFile: path).description, bytes: Int64(try File(path, .read).size()),
            contentType: "application/octet-stream", recording: String(number),
            metadata: ["study": "bench", "participant": "P001"])
    }
}

/// Takes connections as the kernel does for any listener, and never says a word.
private final class SilentListener {
    private let descriptor: CInt
    let url: String

    init() throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { [descriptor] place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 8) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isListening else { throw SystemError.last("listen") }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/files"
    }

    deinit { close(descriptor) }
}
