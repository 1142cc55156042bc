// SPDX-License-Identifier: Apache-2.0
import Base
import Dataset

/// Takes what devices say of themselves, at `/reports` and `/manifests`, and gives it to people and
/// scripts of the lab.
struct FleetRoutes: Sendable {
    let fleet: FleetArchive
    let watch: FleetWatch
    let archive: Archive
    let gate: DeviceGate
    let quota: Quota
    /// Simulated ones, to try devices with.
    let faults: Faults
    let clock: any StudyClock
    /// Signed manifests are kept as they came; nil = nowhere.
    var manifests: ManifestFolder?
    /// The data folder, in which is looked up whose answers come here; nil = those of none do.
    var directory: String?
    /// Absent items that are looked for together.
    var absentLimit = 10_000
    /// The thread that reads what is known of answers.
    private let queue = SerialQueue()

    private static let promptLimit = 5000
    /// Bounds a request to seconds; what is left is looked for by the next one.
    private static let mostLooks = 20

    func addRoutes(to router: inout Router, _ guarded: Guarded) {
        router.on("POST", "/reports", bodyLimit: DeviceReport.bodyLimit, handler: faults.around(inJSON(receiveReport)))
        router.on(
            "POST", "/manifests", bodyLimit: DeviceManifest.bodyLimit, handler: faults.around(inJSON(receiveManifest)))
        func on(_ path: String, _ value: @escaping @Sendable (HTTPRequest) async throws -> JSONValue) {
            let handler: Router.Handler = { .json(try await value($0)) }
            router.on("GET", path, handler: guarded(handler))
        }
        on("/api/fleet") { _ in FleetJSON(view: try await watch.view(at: clock.now)).value }
        on("/api/prompts") { request in
            var prompts: [PromptOutcome] = []
            for source in await fleet.sources(of: request.queryItem("device") ?? "") {
                prompts += try await fleet.prompts(of: source, limit: Self.promptLimit)
            }
            return .array(prompts.map(\.json))
        }
        on("/api/trends") { request in
            var trend: [FleetTrend] = []
            for source in await fleet.sources(of: request.queryItem("device") ?? "") {
                trend += try await fleet.trend(of: source)
            }
            return .array(trend.map(\.json))
        }
        on("/api/missing") { _ in try await missing() }
    }

    /// Refusals as JSON, for the device's journal: of a reason, what follows its first `; ` is the remedy.
    private func inJSON(_ handler: @escaping Router.Handler) -> Router.Handler {
        { request in
            do {
                return try await handler(request)
            } catch let failure as HTTPFailure {
                let parts = failure.reason.split(separator: "; ", maxSplits: 1).map(String.init)
                let body = JSONValue.members([
                    "error": .string(parts.first ?? ""), "remedy": .text(parts.count == 2 ? parts[1] : nil),
                ])
                var answer = HTTPResponse.json(body, status: failure.status)
                for field in failure.fields.all { answer.fields[field.name] = field.value }
                return answer
            }
        }
    }

    // MARK: From devices

    private func receiveReport(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (report, _) = try await checked(request, limit: DeviceReport.bodyLimit, DeviceReport.init)
        let isKeyed = try await admit(request, report.device, report.participant)
        try await fleet.take(report, isKeyed: isKeyed, from: request.origin.client, at: clock.now)
        return .text("{\"received\":\(report.number)}\n", type: "application/json")
    }

    private func receiveManifest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (manifest, body) = try await checked(request, limit: DeviceManifest.bodyLimit, DeviceManifest.init)
        try await admit(request, manifest.device, manifest.participant)
        guard await fleet.knows(manifest.source) else {
            throw HTTPFailure(409, "this device has not reported yet; send a report to /reports first")
        }
        try await manifests?.keep(body, of: manifest, others: fleet.manifestCount(of: manifest.source))
        var here: Set<Int> = []
        for (index, entry) in manifest.entries.enumerated() {
            if try await isHere(entry, of: manifest.participant) { here.insert(index) }
        }
        try await fleet.take(manifest, here: here, at: clock.now)
        return .text("{\"received\":\"\(manifest.day)\"}\n", type: "application/json")
    }

    /// Reads and checks the body. A body that is refused is not kept; the page shows what is wrong with it.
    private func checked<Value>(
        _ request: HTTPRequest, limit: Int, _ read: (JSONValue) throws(FieldError) -> Value
    ) async throws -> (value: Value, body: [UInt8]) {
        try gate.checkSignatureIsThere(request)
        let path = request.path
        let bytes = try await request.body.collect(upTo: limit)
        let problem: String
        do {
            return (try read(try JSONReader.value(String(decoding: bytes, as: UTF8.self), depthLimit: 12)), bytes)
        } catch let error as FieldError {
            problem = error.description
        } catch {
            problem = "the body is not JSON: \(error)"
        }
        try await quota.admitRefusal(of: nil)
        try await archive.refuse([problem], path: path, user: nil, at: clock.now)
        throw HTTPFailure(400, "\(problem); install the studyd that fits this study-receiver")
    }

    /// True where a good key signed it; throws where it may not speak for that participant.
    @discardableResult
    private func admit(_ request: HTTPRequest, _ device: String, _ participant: String) async throws -> Bool {
        let named = request.fields["studyd-device"]
        guard named.map({ $0 == device || PercentCode.decoded($0, plusIsSpace: false) == device }) ?? true else {
            throw HTTPFailure(400, "Studyd-Device names another device than the body; send the same name in both")
        }
        return try await gate.admit(request, for: participant)
    }

    // MARK: For the lab

    /// What manifests name that is not here, without a reason from the device.
    struct Holes: Sendable {
        var items: [(item: ProducedItem, text: String)] = []
        var days: [(source: String, day: String)] = []
        /// There may be more than were looked at.
        var isCut = false
    }

    /// Looks for absent items again, and notes those that have arrived meanwhile: after `restore` that may be all.
    func holes() async throws -> Holes {
        var (holes, arrived) = try await look()
        for _ in 1..<Self.mostLooks where holes.isCut && !arrived.isEmpty { (holes, arrived) = try await look() }
        holes.days = try await fleet.daysWithoutManifest()
        return holes
    }

    private func look() async throws -> (Holes, [ProducedItem]) {
        var (holes, arrived): (Holes, [ProducedItem]) = (Holes(), [])
        let now = clock.now
        let absent = try await fleet.absent(limit: absentLimit + 1)
        holes.isCut = absent.count > absentLimit
        let answers = try await answers(absent, at: now)
        for item in absent.prefix(absentLimit) {
            let known = answers[item.device]
            guard let hole = item.hole(at: now, answersComeHere: known?.comeHere ?? false) else { continue }
            if try await isHere(item.entry, of: item.participant, runs: known?.runs) {
                arrived.append(item)
            } else {
                holes.items.append((item, hole))
            }
        }
        if !arrived.isEmpty { try await fleet.noteHere(arrived) }
        return (holes, arrived)
    }

    /// By source, of those that lack answers: whether they come to this lab, and the digests of runs.
    private func answers(
        _ absent: [ProducedItem], at now: Instant
    ) async throws -> [String: (comeHere: Bool, runs: Set<String>?)] {
        let submissions = absent.filter {
            $0.entry.kind == "submission" && $0.hole(at: now, answersComeHere: true) != nil
        }
        guard let directory, !submissions.isEmpty else { return [:] }
        let participants = Dictionary(submissions.map { ($0.device, $0.participant) }) { first, _ in first }
        return try await queue.run {
            guard let answers = try LabAnswers(in: directory) else { return [:] }
            return try participants.reduce(into: [:]) { found, one in
                let (study, participant) = (FleetSource(one.key).study, one.value)
                found[one.key] = (
                    comeHere: try answers.comeHere(of: participant, in: study),
                    runs: try answers.runDigests(of: participant, in: study)
                )
            }
        }
    }

    /// `runs` are the digests of all that the played server has, which may have deleted what it took.
    private func isHere(
        _ entry: DeviceManifest.Entry, of participant: String, runs: Set<String>? = nil
    ) async throws -> Bool {
        if let sha256 = entry.sha256 {
            if try await archive.has(sha256: sha256) || runs?.contains(sha256) == true { return true }
            if runs == nil, try await fleet.hasPosted(sha256) { return true }
        }
        // A copy of an answer has other bytes than what the study's server gets.
        guard let name = entry.name, entry.sha256 == nil || entry.kind == "submission" else { return false }
        return try await archive.has(name: name, of: participant)
    }

    func cards(of participant: String) async throws -> HTML {
        let view = try await watch.view(at: clock.now)
        var cards: [HTML] = []
        for device in view.present where device.report.participant == participant {
            let id = device.id
            cards.append(
                FleetCard(
                    device: device, attention: view.attention[id] ?? [], trend: try await fleet.trend(of: id),
                    prompts: try await fleet.prompts(of: id, limit: 7), now: view.now
                ).html)
        }
        return "\(cards)"
    }

    private func missing() async throws -> JSONValue {
        let holes = try await holes()
        guard !holes.isCut else { throw LabTables.tooMany(absentLimit) }
        return .members([
            "format": .string("studyd-missing"), "version": .int(1),
            "missing": .array(holes.items.map { $0.item.json($0.text) }),
            "daysWithoutManifest": .array(
                holes.days.map {
                    .members(["device": .string(FleetSource($0.source).device), "day": .string($0.day)])
                }),
        ])
    }
}
