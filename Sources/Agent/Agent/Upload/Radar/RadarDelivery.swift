// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Study
import SystemKit

/// One step of one item on its way to a RADAR gateway: at most a thousand records of one topic.
///
/// The gateway keeps no count, so the device does: the item's location (`RadarPlace`) says how many rows the
/// gateway was sent. None of them is sent again, except those of the last request if its answer was lost.
struct RadarDelivery {
    private let job: DeliveryJob
    private let server: RadarServer
    private let encoding: RadarEncoding
    /// Names of topics, by kind of data.
    private let topics: [String: String]
    private let reading: RadarReading
    private let client: HTTPClient

    /// Records and bytes of a request (radar-commons-android, README).
    private static let (most, largest) = (1000, 5_000_000)
    /// A 500 is taken for the fault of a record: of one among several after `attemptsOfSeveral` attempts, of a
    /// single one after `attemptsOfOne`.
    private static let (attemptsOfSeveral, attemptsOfOne) = (3, 8)

    init(
        _ job: DeliveryJob, to server: RadarServer, as encoding: RadarEncoding, topics: [String: String],
        reading: RadarReading, by client: HTTPClient
    ) {
        (self.job, self.server, self.encoding, self.topics) = (job, server, encoding, topics)
        (self.reading, self.client) = (reading, client)
    }

    func step() throws -> DeliveryStep {
        switch job.content {
        case .request(let request) where job.item.item.origin.hasPrefix(DeviceSignals.origin): try signals(request)
        case .request(let request): try answers(request)
        case .file(let file): try rows(of: file)
        }
    }

    // MARK: - Answers

    private func answers(_ request: WireRequest) throws -> DeliveryStep {
        guard let name = topics[RadarDestination.answers] else {
            return .finished(.refused(reason: "no topic for answers"))
        }
        let notified = request.headers.first { $0.name == ResultEntry.notified }.flatMap { Instant.parsed($0.value) }
        let record: JSONText
        do { record = try RadarRecords.questionnaire(request.body, notified: notified) } catch {
            return .finished(.refused(reason: "\(error)"))
        }
        let pairing = try server.pairing(of: job.item.enrolment, at: job.now, by: client)
        let sent = try send([record], to: name, by: pairing)
        if let step = sent.stop { return step }
        if let refused = sent.refused.first { return .finished(.refused(reason: refused)) }
        return .finished(.delivered(receipt: "\(name) \(sent.receipt)"))
    }

    // MARK: - The device itself

    /// Sends one record in each topic that is configured for one of the device's signals.
    private func signals(_ request: WireRequest) throws -> DeliveryStep {
        let records = try RadarRecords.signals(request.body).compactMap { kind, record in
            topics[kind].map { (topic: $0, record: record) }
        }
        guard let place = job.location.map({ RadarPlace($0) }) ?? RadarPlace() else { return .located(nil) }
        guard place.rows < records.count else {
            let names = records.map(\.topic).joined(separator: ", ")
            return place.refused > 0
                ? .finished(.refused(reason: place.words)) : .finished(.delivered(receipt: "a record each in \(names)"))
        }
        let next = records[place.rows]
        let pairing = try server.pairing(of: job.item.enrolment, at: job.now, by: client)
        let sent = try send([next.record], to: next.topic, by: pairing)
        return sent.stop ?? .located(place.adding(1, sent.refused).text)
    }

    // MARK: - Rows of a file

    private func rows(of file: FileReference) throws -> DeliveryStep {
        let measure = file.metadata["measure"] ?? ""
        let kind = measure == MeasureKind.features.rawValue ? file.metadata["identifier"] ?? measure : measure
        guard let name = topics[kind] else { return .finished(.refused(reason: "no topic for \(kind)")) }
        guard let place = job.location.map({ RadarPlace($0) }) ?? RadarPlace() else { return .located(nil) }
        // A step without a request between two that have one: after it a more urgent item may go first.
        if job.location != nil, job.offset == nil { return .progressed(Int64(place.rows)) }
        // Throws where the file is gone or, before its first record, was changed.
        _ = try UploadPayload(job, compressing: [])
        let rows = try reading.rows(ofFile: "\(job.directory)/\(file.path)", after: place.rows, most: Self.most)
        if rows.records.isEmpty, rows.isAtEnd { return finished(file, name, place.adding(rows, [])) }
        let pairing = try server.pairing(of: job.item.enrolment, at: job.now, by: client)
        let sent = try send(rows.records, to: name, by: pairing)
        if let step = sent.stop {
            // Records that the gateway has taken are not sent again.
            return sent.count == 0 ? step : .located(place.adding(rows.prefix(sent.count), sent.refused).text)
        }
        let next = place.adding(rows, sent.refused)
        return rows.isAtEnd ? finished(file, name, next) : .located(next.text)
    }

    /// Delivered, or refused where any record was not taken: then the file is kept and shown.
    private func finished(_ file: FileReference, _ topic: String, _ place: RadarPlace) -> DeliveryStep {
        let all = "\(Plural.of(place.rows, "row")) of \(file.path)"
        guard place.refused > 0 else {
            return .finished(.delivered(receipt: "\(topic) has \(all), sha256 \(file.sha256)"))
        }
        return .finished(.refused(reason: "\(topic) did not take \(place.refused) of \(all): \(place.words)"))
    }

    // MARK: - Records

    private struct Sent {
        /// How many of the records, from the first on, are over: taken or refused.
        var count = 0
        /// The reasons, one for each record that the gateway will never take.
        var refused: [String] = []
        var receipt = ""
        /// Why the rest is not sent now; nil = there is no rest.
        var stop: DeliveryStep?
    }

    /// Sends records in order, a part at a time; a part that the gateway finds too large or wrong is halved,
    /// so that one wrong record does not stop the others.
    private func send(_ records: [JSONText], to name: String, by pairing: RadarPairing) throws -> Sent {
        var (sent, size, pairing) = (Sent(), Self.most, pairing)
        var hasFetched = false
        do {
            var topic = try server.topic(name, at: job.now, by: client)
            while sent.count < records.count {
                let part = records[sent.count..<min(sent.count + size, records.count)]
                let answer = try post(part, to: topic, by: &pairing)
                switch answer {
                case .taken(let receipt):
                    sent.count += part.count
                    sent.receipt = receipt
                    size = min(Self.most, part.count * 2)
                case .stop(let step):
                    sent.stop = step
                    return sent
                case .wrong where !hasFetched:
                    // The topic may have another schema by now.
                    hasFetched = true
                    topic = try server.topic(name, fetching: true, at: job.now, by: client)
                case .wrong(let words), .large(let words):
                    if part.count == 1 {
                        sent.refused.append(words)
                        sent.count += 1
                    }
                    size = max(1, part.count / 2)
                }
            }
        } catch let stop as RadarStop {
            sent.stop = stop.step
        } catch let error as TransportError where sent.count > 0 {
            sent.stop = .finished(.retry(reason: "\(error)"))
        }
        return sent
    }

    private enum Answer {
        case taken(String)
        /// A record of the part does not fit the schema, or the gateway does not accept it.
        case wrong(String)
        case large(String)
        case stop(DeliveryStep)
    }

    private func post(_ part: ArraySlice<JSONText>, to topic: RadarTopic, by pairing: inout RadarPairing) throws
        -> Answer
    {
        var data: [AvroDatum] = []
        do throws(AvroFault) {
            for record in part { data.append(try topic.value.schema.datum(record)) }
        } catch { return .wrong("the schema of \(topic.name): \(error)") }
        while true {
            let response = try server.authorized(&pairing, at: job.now, by: client) {
                try post(data, to: topic, by: $0)
            }
            if response.status == 415, encoding.fallBack() { continue }
            return judged(response, topic, part.count)
        }
    }

    private func post(_ data: [AvroDatum], to topic: RadarTopic, by pairing: RadarPairing) throws -> HTTPResponse {
        let sender = RadarTopic.Sender(
            project: pairing.project, user: pairing.subject ?? "", source: pairing.source ?? "")
        let isBinary = encoding.isBinary
        let plain = isBinary ? try topic.binary(data, by: sender) : try topic.json(data, by: sender)
        guard plain.count <= Self.largest || data.count == 1 else {
            return HTTPResponse(status: 413, headers: [], body: Array("larger than 5 MB".utf8))
        }
        var headers: [WireRequest.Header] = [.init(name: "Content-Type", value: isBinary ? Self.binary : Self.json)]
        if encoding.isCompressed { headers.append(.init(name: "Content-Encoding", value: "gzip")) }
        return try server.ask(
            "POST", "/kafka/topics/\(PercentCode.encoded(topic.name))", headers,
            body: .bytes(encoding.isCompressed ? try GzipFile.compressed(plain) : plain), token: pairing.access,
            by: client)
    }

    private static let binary = "application/vnd.radarbase.avro.v1+binary"
    private static let json = "application/vnd.kafka.avro.v2+json"

    /// What each status means (delivery of RADAR-Gateway 0.9; codes are radar-jersey's).
    private func judged(_ response: HTTPResponse, _ topic: RadarTopic, _ count: Int) -> Answer {
        let words = "\(topic.name) was answered \(response.words)"
        if response.status == 413 { return .large(words) }
        if response.retryAfter == nil, response.status < 500, let foreign = ForeignAnswer(response) {
            return .stop(.foreign(foreign))
        }
        switch response.status {
        case 200:
            let receipt = response.json
            guard let key = receipt?["key_schema_id"]?.wholeNumber, let value = receipt?["value_schema_id"]?.wholeNumber
            else { return .stop(.finished(.retry(reason: "\(words), which is no gateway's receipt"))) }
            return .taken("key_schema_id \(key), value_schema_id \(value)")
        case 400, 422: return .wrong(words)
        case 401:
            return .stop(
                .finished(.retry(reason: "\(words), also with a new token: the gateway does not know its issuer")))
        case 403:
            return .stop(
                .blocked(
                    Explanation(
                        cause: words,
                        remedy: "give the OAuth client res_gateway and MEASUREMENT.CREATE, and assign the source"),
                    wait: .zero))
        case 404: return .stop(RadarStop.noTopic(topic.name).step)
        case 500
        where job.item.attempts > Self.attemptsOfSeveral && (count > 1 || job.item.attempts > Self.attemptsOfOne):
            return .wrong(words)
        default: return .stop(server.refusal(response, topic.name))
        }
    }
}

/// How far an item has come, as the outbox keeps it in `location`: how many rows were sent, how many of them
/// were refused, and why the first was.
struct RadarPlace: Sendable, Hashable {
    private(set) var rows = 0
    private(set) var refused = 0
    private(set) var words = ""

    init() {}

    /// Nil for a text that `text` did not write.
    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let rows = Int(parts[0]), let refused = Int(parts[1]), rows >= 0 else { return nil }
        (self.rows, self.refused, words) = (rows, refused, parts[2])
    }

    var text: String { "\(rows) \(refused) \(words)" }

    func adding(_ count: Int, _ refusals: [String]) -> RadarPlace {
        var place = self
        place.rows += count
        place.refused += refusals.count
        if place.words.isEmpty { place.words = String((refusals.first ?? "").prefix(200)) }
        return place
    }

    func adding(_ rows: RadarRecords.Rows, _ refusals: [String]) -> RadarPlace {
        let undated = Array(repeating: "it is not known when they were", count: rows.undated)
        return adding(rows.count, refusals + undated)
    }
}
