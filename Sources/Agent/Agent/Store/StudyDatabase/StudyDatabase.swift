// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import Study
import SystemKit

/// The device's store, for all parts of the agent and for commands: the event log, what follows from it
/// (projections: tables that can be made again from the log), and the bytes still to be sent.
///
/// An actor on its own thread, `studyd-store`, because every commit waits for the disk. When
/// `append` has returned, what it wrote survives a power cut. Most operations are one line, and documented at the
/// type that does them, which each section names.
package actor StudyDatabase {
    private nonisolated let executor: ThreadExecutor
    private var store: OpenStore
    /// What was damaged when it was opened; nil = nothing.
    package nonisolated let foundDamage: SalvageRecord?
    /// The directory to which the paths of recordings are relative; nil where there are none.
    private let folder: String?
    /// Compacts the file after an erasure.
    private var compaction = Compaction()
    private var flushWatch = FlushWatch()
    /// False in the agent until the row of its start is written: it says that what is being sent was cut off, so
    /// nothing is sent before.
    package private(set) var hasStarted = true
    /// Why the last retention found no room for recordings; nil = it did (`StoreCondition.capFault`).
    private var capFault: String?

    /// A separate thread: SQLite blocks on the disk, and on the shared pool that would delay
    /// timers.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens or makes the database. Opening reads the end of the log only, unless a projection
    /// changed its version: then all of it, at once or, without `catchesUp`, by calls of `catchUp`.
    /// Throws where opening it would cost rows that the agent can still salvage. `busyTimeout` is
    /// how long a statement waits for another process. With `usesReserve` a full disk has the space of the reserve
    /// (`StoreReserve`).
    package init(
        _ location: Connection.Location, recordings: String? = nil, busyTimeout: Duration = .seconds(5),
        catchesUp: Bool = true, encryption: BodyEncryption? = nil, usesReserve: Bool = false
    ) throws {
        executor = try ThreadExecutor(name: "studyd-store")
        store = try OpenStore(
            location, busyTimeout: busyTimeout, catchesUp: catchesUp, encryption: encryption, usesReserve: usesReserve)
        (folder, foundDamage) = (recordings, nil)
    }

    /// Opens or makes the database of a state folder, for a command; with the device's key where there is one.
    /// `usesReserve`: for what must be stored on a full disk too.
    package init(
        _ folder: StateFolder, encryption settings: EncryptionSettings?, usesReserve: Bool = false
    ) throws {
        do {
            try self.init(
                .file(folder.database), recordings: folder.recordings, encryption: .present(settings, in: folder),
                usesReserve: usesReserve)
        } catch let error as DatabaseError where error.kind == .cannotOpen {
            if let denial = StoreFiles(folder.database).denial { throw denial }
            throw error
        } catch let error as DatabaseError where error.kind == .diskFull {
            throw StoreError.fullDisk(folder.database)
        }
    }

    /// Opens or makes the store of the agent, which has the state folder for itself. Damage does
    /// not keep it from opening: what was found is `foundDamage`, and is logged with that stamp.
    /// With `encryption` answers and requests are encrypted from now on, and decrypted when they are read.
    package init(rescuing path: String, recordings: String, encryption: BodyEncryption? = nil, at stamp: EventStamp)
        throws
    {
        executor = try ThreadExecutor(name: "studyd-store")
        let store = try OpenStore(rescuing: path, recordings: recordings, encryption: encryption, at: stamp)
        (folder, foundDamage) = (recordings, store.foundDamage)
        self.store = store
        hasStarted = false
    }

    private var log: EventLog { store.log }
    private var outbox: Outbox { Outbox(store) }
    var attempts: UploadAttempts { UploadAttempts(store) }
    private var delivered: DeliveredRequests { DeliveredRequests(store) }
    private var recordings: RecordingStore { RecordingStore(store, folder: folder) }
    private var recordingRetention: RecordingRetention { RecordingRetention(store, recordings, folder: folder) }
    private var history: EnrolmentHistory { EnrolmentHistory(store) }
    private var decisions: DecisionHistory { DecisionHistory(store) }
    private var device: DeviceHistory { DeviceHistory(store) }
    private var withdrawal: Withdrawal { Withdrawal(store, recordings) }
    private var writer: EntryWriter { EntryWriter(store, withdrawal) }

    /// For statements without an operation here; within this actor.
    var connection: Connection { store.connection }

    // MARK: - The log (`EventLog`, `EntryWriter`)

    /// Writes events, what follows from them, and items to be sent, in one transaction. Returns the
    /// last sequence number.
    ///
    /// An item that is in the outbox already is not queued again. What comes after its enrolment
    /// was left, and its unsent data deleted, is deleted too.
    @discardableResult
    package func append(_ events: [StudyEvent], sending drafts: [OutboxDraft] = [], at stamp: EventStamp) throws
        -> Int64
    {
        let (last, removed) = try log.transaction {
            try writer.add(StoreEntry(events: events, drafts: drafts, stamp: stamp))
        }
        recordings.removeFiles(of: removed)
        return last
    }

    /// The same for several entries with their own stamps, in one transaction with one flush of the disk.
    /// Without `flushing` every reader sees them and they outlive the process, but not a power cut before the
    /// next flush.
    package func append(_ entries: [StoreEntry], flushing: Bool = true) throws {
        let removed = try log.transaction(flushing: flushing) { try entries.flatMap { try writer.add($0).removed } }
        // The start is the first that the loop commits.
        hasStarted = true
        recordings.removeFiles(of: removed)
    }

    /// Keeps a study's file exactly as it was received. Returns its digest, under which
    /// it is found again.
    package func keepStudyFile(_ bytes: [UInt8], source: String, at now: Instant) throws -> Digest {
        let digest = try Digest(of: bytes)
        try store.connection.run(
            """
            INSERT INTO study_file VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes
            """, digest.description, source, now.nanoseconds, bytes)
        return digest
    }

    /// The study file of that digest; nil where there is none, or it is damaged.
    package func studyFile(_ digest: String) throws -> [UInt8]? {
        let bytes = try store.connection.first("SELECT bytes FROM study_file WHERE digest = ?", digest) {
            try $0.bytes(0)
        }
        return try bytes.flatMap { try Digest(of: $0).description == digest ? $0 : nil }
    }

    /// The enrolment in force whose study's file, or that of its rules, is gone or damaged; nil = none.
    package func enrolmentWithoutStudy() throws -> EnrolmentRecord? {
        guard let state = try latestEnrolment(), state.withdrawn == nil else { return nil }
        let digests = [state.record.fileDigest, state.record.rules].compactMap(\.self)
        return try digests.contains { try studyFile($0) == nil } ? state.record : nil
    }

    /// Every event from a sequence number on, at most `limit`, of one kind or of all.
    package func events(from first: Int64 = 1, kind: String? = nil, limit: Int = 1000) throws -> [LoggedEvent] {
        var found: [LoggedEvent] = []
        try log.replay(from: first, kind: kind, limit: limit) { found.append($0) }
        return found
    }

    /// False while a projection is being rebuilt; nothing is sent then.
    package var isCurrent: Bool { log.isCurrent }

    /// Rebuilds projections by one step; false when all are complete. A restart continues where it was.
    package func catchUp() throws -> Bool { try log.catchUp() }

    /// Why answers of the log cannot be read here; nil where they can, or there are none.
    package func unreadableAnswers() throws -> StoreError? {
        try EncryptedBody.canBeOpened(in: store.connection) ? nil : .encryptedAnswers
    }

    /// Walks the hash chain. Returns the first row that does not fit, nil when all do.
    package func verifyLog() throws -> ChainFault? { try log.verify() }

    package func confirmedRows() throws -> ConfirmedRows { try log.confirmedRows() }

    /// Drops everything that follows from the log and makes it again.
    package func rebuildProjections() throws { try log.rebuild() }

    /// What SQLite itself finds wrong with the file; empty when nothing.
    package func integrityErrors() throws -> [String] { try store.connection.integrityErrors() }

    /// Every row of every projection as text, in order: equal texts = equal projections. For tests.
    package func projectionDump() throws -> [String] {
        try projections.flatMap { $0.tables }.flatMap { table in
            try store.connection.rows("SELECT * FROM \(table)") { "\(table)\($0.values)" }.sorted()
        }
    }

    // MARK: - The outbox (`Outbox`, `UploadAttempts`, `DeliveredRequests`)

    package func item(_ id: String) throws -> OutboxItem? { try outbox.item(id) }
    package func items(in state: ItemState? = nil, limit: Int = 1000) throws -> [OutboxItem] {
        try outbox.items(in: state, limit: limit)
    }
    func items(idPrefix: String) throws -> [OutboxItem] { try outbox.items(idPrefix: idPrefix) }
    func hasUnsent(for destination: String) throws -> Bool { try outbox.hasUnsent(for: destination) }
    func oldestWaiting(besides destinations: [String]) throws -> Instant? {
        try outbox.oldestWaiting(besides: destinations)
    }
    package func outboxSummary() throws -> [OutboxSummary] { try outbox.outboxSummary() }
    package func waitingEnrolments(for destination: String) throws -> [String] {
        try outbox.waitingEnrolments(for: destination)
    }
    func nextItem(_ choice: UploadChoice) throws -> OutboxItem? { try outbox.nextItem(choice) }
    package func nextRetry(
        for destination: String, of enrolment: String? = nil, onlyUrgent: Bool = false
    ) throws -> Instant? {
        try outbox.nextRetry(for: destination, of: enrolment, onlyUrgent: onlyUrgent)
    }
    package func content(of item: OutboxItem) throws -> ItemContent { try outbox.content(of: item) }
    package func unsent(of enrolment: String) throws -> (count: Int, refused: Int, addresses: [String]) {
        try outbox.unsent(of: enrolment)
    }
    package func unsentAddresses(besides enrolment: String?) throws -> [String] {
        try outbox.unsentAddresses(besides: enrolment)
    }
    package func deleteItem(_ id: String, reason: String, at stamp: EventStamp) throws {
        try outbox.deleteItem(id, reason: reason, at: stamp)
    }
    package func requeueItem(_ id: String, at stamp: EventStamp) throws { try outbox.requeueItem(id, at: stamp) }
    package func requeueRefused(at stamp: EventStamp) throws -> (count: Int, held: Int) {
        try outbox.requeueRefused(at: stamp)
    }
    package func startUploads(
        _ choice: UploadChoice, most: Int, at stamp: @Sendable (_ enrolment: String) -> EventStamp
    ) throws -> [OutboxItem] {
        try attempts.startUploads(choice, most: most, at: stamp)
    }
    package func returnUploads(_ ids: [String], at stamp: EventStamp) throws {
        try attempts.returnUploads(ids, at: stamp)
    }
    package func locateUpload(_ id: String, url: String, at stamp: EventStamp) throws {
        try attempts.locateUpload(id, url: url, at: stamp)
    }
    package func finishUpload(_ id: String, _ result: UploadResult, flushing: Bool = true, at stamp: EventStamp) throws
    {
        try attempts.finishUpload(id, result, flushing: flushing, at: stamp)
    }
    package func kept() throws -> KeptRequests? { try delivered.kept() }
    package func keptIDs() throws -> Set<String> { try delivered.keptIDs() }
    package func resendDelivered(from start: Instant, until end: Instant, at stamp: EventStamp) throws -> Int {
        try delivered.resendDelivered(from: start, until: end, at: stamp)
    }
    package func resendRecordings(
        to destination: String, from start: Instant, until end: Instant, at stamp: EventStamp
    ) throws -> Int { try recordings.resend(to: destination, from: start, until: end, at: stamp) }
    func recordingDestinations() throws -> [String] { try recordings.destinations() }
    package func resendDelivered(_ id: String, at stamp: EventStamp) throws {
        try delivered.resendDelivered(id, at: stamp)
    }
    package func witness(of item: String) throws -> LogWitness? { try UploadWitness(store).witness(of: item) }
    /// Logs that a report with this number will state the log's head, and returns that statement.
    package func tellHead(report: Int64, at stamp: EventStamp) throws -> LogWitness? {
        try append([.headTold(report: report)], at: stamp)
        return try UploadWitness(store).witness(ofReport: report)
    }
    package func compliance(of enrolment: String, at now: Instant, offset: Int) throws -> ComplianceHeader? {
        try ComplianceHeader(of: enrolment, at: now, offset: offset, in: store.connection)
    }
    package func counts() throws -> StoreCounts { try StoreCounts(store.connection) }

    package func backlog() throws -> OutboxBacklog { try OutboxBacklog(store.connection) }

    // MARK: - Reports (`PromptOutcomes`, `ProducedItems`)

    package func logName() throws -> String? { try PromptOutcomes(store).logName() }
    package func enrolmentOfFirstOutcome(after row: Int64) throws -> String? {
        try PromptOutcomes(store).enrolmentOfFirstOutcome(after: row)
    }
    /// Both of one state of the log: between two calls an outcome may be taken back.
    func endings(
        of enrolment: String, after row: Int64, outcomes: Int = DeviceReport.mostPrompts,
        returns: Int = DeviceReport.mostReturns
    ) throws -> PromptEndings {
        try PromptOutcomes(store).endings(of: enrolment, after: row, outcomes: outcomes, returns: returns)
    }
    package func outcomes(of enrolment: String, after row: Int64, limit: Int) throws -> [PromptOutcome] {
        try PromptOutcomes(store).outcomes(of: enrolment, after: row, limit: limit)
    }
    func lastCompletion(of enrolment: String) throws -> Instant? {
        try PromptOutcomes(store).lastCompletion(of: enrolment)
    }
    func answers(toPrompt occurrence: String, of enrolment: String) throws -> [(question: String, value: String)] {
        try PromptOutcomes(store).answers(toPrompt: occurrence, of: enrolment)
    }
    package func enrolments() throws -> [EnrolmentState] { try history.enrolments() }
    package func produced(
        of enrolment: String, from start: Instant, to end: Instant, _ routes: LabRoutes
    ) throws -> [ProducedItem] {
        try ProducedItems(store, recordings).items(of: enrolment, from: start, to: end, routes)
    }

    // MARK: - Records of days (`DayRecordMaker`)

    func nextDayRecord(for destination: String) throws -> ReportMemory.Day? {
        try DayRecordMaker(store, recordings).next(for: destination)
    }
    func manifest(
        _ day: LocalDate, _ span: (start: Instant, end: Instant), of record: EnrolmentRecord, to destination: String,
        _ routes: LabRoutes, signedBy key: Ed25519.PrivateKey?
    ) throws -> [OutboxDraft] {
        try DayRecordMaker(store, recordings).manifest(day, span, of: record, to: destination, routes, signedBy: key)
    }
    func logSegment(
        upTo last: EnrolmentRecord, to destination: String, zone: Zone, signedBy key: Ed25519.PrivateKey?
    ) throws -> (draft: OutboxDraft, enrolment: String)? {
        try DayRecordMaker(store, recordings).segment(upTo: last, to: destination, zone: zone, signedBy: key)
    }
    /// The number of the last row; 0 in an empty log.
    func logEnd() throws -> Int64 { try log.head()?.sequence ?? 0 }

    // MARK: - Recordings (`RecordingStore`, `RecordingRetention`)

    package func highestRecordingNumber() throws -> Int { try recordings.highestRecordingNumber() }
    package func recordingNumbers() throws -> Set<Int> { try recordings.recordingNumbers() }
    package func recordingViews() throws -> [RecordingView] { try recordings.recordingViews() }
    package func spokenAnswers(in enrolment: String) throws -> Set<String> {
        try recordings.spokenAnswers(in: enrolment)
    }
    package func recordings(after sequence: Int64) throws -> [RecordingRecord] {
        try recordings.recordings(after: sequence)
    }
    package func sweepRemovedRecordings(at stamp: EventStamp) throws {
        try recordingRetention.sweepRemovedRecordings(at: stamp)
    }

    // MARK: - The enrolment (`EnrolmentHistory`, `DecisionHistory`)

    package func latestEnrolment() throws -> EnrolmentState? { try history.latestEnrolment() }
    package func facts(of enrolment: String) throws -> StudyFacts { try history.facts(of: enrolment) }
    package func owner(of enrolment: String) throws -> [String: String] { try history.owner(of: enrolment) }
    package func openings(of enrolment: String) throws -> [String: Int] { try history.openings(of: enrolment) }
    package func submissions(of enrolment: String) throws -> [String: Int] { try history.submissions(of: enrolment) }
    package func submittedOpenings(of task: String, in enrolment: String) throws -> Set<Int> {
        try history.submittedOpenings(of: task, in: enrolment)
    }
    package func progress(of task: String, opening: Int, in enrolment: String) throws -> [LeftRun.Row] {
        try history.progress(of: task, opening: opening, in: enrolment)
    }
    package func occurrences(of enrolment: String, onlyOpen: Bool = false) throws -> [OccurrenceView] {
        try history.occurrences(of: enrolment, onlyOpen: onlyOpen)
    }
    package func occurrenceCounts(
        of enrolment: String, isBlinded: Bool = false
    ) throws -> [(outcome: Outcome?, count: Int)] {
        try history.occurrenceCounts(of: enrolment, isBlinded: isBlinded)
    }
    package func outcomes(of enrolment: String) throws -> [String: Outcome] { try history.outcomes(of: enrolment) }
    package func openRuns(of enrolment: String) throws -> [OpenRun] { try history.openRuns(of: enrolment) }
    package func history(of question: String, task: String? = nil, in enrolment: String, limit: Int = .max) throws
        -> [HistoryEntry]
    {
        try history.history(of: question, task: task, in: enrolment, limit: limit)
    }
    package func completedRuns(of enrolment: String, limit: Int) throws -> [CompletedRun] {
        try history.completedRuns(of: enrolment, limit: limit)
    }
    package func doneRuns(of enrolment: String, limit: Int = 20_000) throws -> [DoneRun] {
        try history.doneRuns(of: enrolment, limit: limit)
    }
    package func begunOccurrences(of enrolment: String) throws -> Set<String> {
        try history.begunOccurrences(of: enrolment)
    }
    func firstOpenings(of enrolment: String) throws -> [String: Instant] { try history.firstOpenings(of: enrolment) }
    func putOffs(of enrolment: String) throws -> [String: Instant] { try history.putOffs(of: enrolment) }
    func selfStartedRuns(of enrolment: String) throws -> (submitted: Int, left: Int) {
        try history.selfStartedRuns(of: enrolment)
    }
    package func hasErasedAnswers(of enrolment: String) throws -> Bool { try history.hasErasedAnswers(of: enrolment) }
    package func serverFacts(_ name: String, of enrolment: String, limit: Int = 1000) throws -> [ServerFactView] {
        try history.serverFacts(name, of: enrolment, limit: limit)
    }
    package func consent(of enrolment: String) throws -> ConsentStatus { try history.consent(of: enrolment) }
    package func retiredTasks(of enrolment: String) throws -> Set<String> { try history.retiredTasks(of: enrolment) }
    package func hasLeft(study: String) throws -> Bool { try history.hasLeft(study: study) }
    package func serverFact(_ name: String, of enrolment: String) throws -> String? {
        try history.serverFact(name, of: enrolment)
    }

    package func lastZone(of record: EnrolmentRecord) throws -> String? { try history.lastZone(of: record) }
    package func promptSwitches(of enrolment: String, limit: Int = 200) throws -> [(on: Bool, at: Instant)] {
        try history.promptSwitches(of: enrolment, limit: limit)
    }
    func sensorPause(of enrolment: String) throws -> SensorPause? { try history.sensorPause(of: enrolment) }

    /// When that enrolment lost its study, as an earlier start noted it; nil = none is noted.
    package func lossBegan(of enrolment: String) throws -> Instant? {
        try history.serverFact(ServerFact.lost, of: enrolment).flatMap { Int64($0) }.map(Instant.init(nanoseconds:))
    }

    package func ruleMemory(of enrolment: String) throws -> RuleMemory { try decisions.memory(of: enrolment) }
    package func decisionCounts(of enrolment: String) throws -> Ledger.DecisionCounts {
        try decisions.counts(of: enrolment)
    }

    // MARK: - The device (`DeviceHistory`)

    package func newestStamp() throws -> EventStamp? { try device.newestStamp() }
    package func clockJumps(limit: Int = 200) throws -> [(by: Duration, at: Instant)] {
        try device.clockJumps(limit: limit)
    }
    package func lastMeasuring() throws -> MeasuringSpan? { try device.lastMeasuring() }
    package func uncountedSamples() throws -> Int64 { try device.uncountedSamples() }
    package func countedRates() throws -> [String: Double] { try device.countedRates() }
    package func enrolmentByLog() throws -> (record: EnrolmentRecord, isWithdrawn: Bool)? {
        try device.enrolmentByLog()
    }
    package func lastEnrolment() throws -> String? { try device.lastEnrolment() }
    package func anchors(ofBoot boot: String) throws -> [ClockAnchor] { try device.anchors(ofBoot: boot) }
    package func newestAnchor(ofBoot boot: String) throws -> AnchorRecord? { try device.newestAnchor(ofBoot: boot) }
    package func newestReference() throws -> AnchorRecord? { try device.newestReference() }
    package func newestTrustedTime() throws -> Instant? { try device.newestTrustedTime() }

    // MARK: - Leaving and erasing (`Withdrawal`, `Erasure`)

    package func withdraw(
        deletesUnsent: Bool, erasesAnswers: Bool = false, deletesData: Bool = false, closesLog: Bool = false,
        sending drafts: [OutboxDraft], at stamp: EventStamp
    ) throws {
        let removed = try onFullDisk {
            try withdrawal.withdraw(
                deletesUnsent: deletesUnsent, erasesAnswers: erasesAnswers, deletesData: deletesData,
                closesLog: closesLog, sending: drafts, at: stamp)
        }
        recordings.removeFiles(of: removed)
        // What is in memory only may be lost still.
        if store.memoryOnlyReason == nil { reserve?.clearNotedWish() }
        if deletesUnsent || erasesAnswers { store.files?.removeSetAside() }
        if erasesAnswers { compaction.run(store, at: stamp) }
    }

    /// Nil for a store that may not use the reserve.
    var stateFolder: String? { store.files?.folder }

    private var reserve: StoreReserve? { store.files.map { StoreReserve($0.reserve) } }

    /// Runs what a full disk may not refuse.
    private func onFullDisk<Value>(_ body: () throws -> Value) throws -> Value {
        try reserve?.onFullDisk(body) ?? body()
    }

    /// Notes a wish that the log does not take, until `withdraw`. False where a power cut would lose it.
    func note(_ wish: LeavingWish) -> Bool { reserve?.note(wish) ?? false }

    /// The wish of the present participant that was noted and is not in the log; nil = none.
    func notedWish() -> LeavingWish? {
        guard let wish = reserve?.notedWish() else { return nil }
        let isOver: Bool
        do {
            // A damaged store may have lost the row.
            guard let known = try device.enrolmentByLog() else { return wish }
            isOver = known.record.id != wish.enrolment || known.isWithdrawn
        } catch { isOver = false }
        // A store in memory does not say who takes part.
        guard isOver, store.memoryOnlyReason == nil else { return wish }
        reserve?.clearNotedWish()
        return nil
    }

    package func hasDeletedUnsent(of enrolment: String) throws -> Bool {
        try withdrawal.hasDeletedUnsent(of: enrolment)
    }

    func hasAskedForDeletion(of enrolment: String) throws -> Bool {
        try withdrawal.hasAskedForDeletion(of: enrolment)
    }

    package func undelivered() throws -> (items: Int, recordings: Int) { try withdrawal.undelivered() }

    /// Deletes from this device what a participant has answered: out of the log (the proof that it
    /// happened stays), out of what follows from it, and every recording, delivered or not.
    /// `enrolment` nil = of all participants. What is still to be sent is kept, where it was not
    /// deleted before.
    ///
    /// Returns the number of erased rows; 0 where all was erased before. Compacting removes their content
    /// from free pages and write-ahead log; where it failed, `finishErasure` returns false until it succeeds.
    @discardableResult
    package func eraseAnswers(
        of enrolment: String?, reason: String = Withdrawal.reason, at stamp: EventStamp
    ) throws -> Int {
        let erasure = Erasure(store, recordings)
        let (rows, removed) = try log.transaction { try erasure.erase(of: enrolment, reason: reason, at: stamp) }
        recordings.removeFiles(of: removed)
        // Damaged stores that were set aside hold the answers too.
        store.files?.removeSetAside()
        if try rows > 0 || store.connection.hasFreePages() { compaction.run(store, at: stamp) }
        return rows
    }

    /// Compacts the file where an erasure could not. True when nothing is left to do.
    @discardableResult
    package func finishErasure(at stamp: EventStamp) -> Bool {
        if compaction.isDue { compaction.run(store, at: stamp) }
        return !compaction.isDue
    }

    /// True from the beginning of a hand-over on: no one may be enrolled in this log any more.
    package func isClosed() throws -> Bool { try log.isHandedOver() }

    /// Ends the log for good, for a hand-over: ends the enrolment without telling its server, deletes
    /// everything without a receipt, erases every answer, and for participants who had their answers deleted
    /// also who they were. Can be repeated where it was interrupted.
    package func close(at stamp: EventStamp) throws {
        if let present = try latestEnrolment(), present.withdrawn == nil {
            try withdraw(deletesUnsent: true, closesLog: true, sending: [], at: stamp.of(present.record.id))
        }
        recordings.removeFiles(of: try onFullDisk { try withdrawal.close(at: stamp) })
        store.files?.removeSetAside()
        try store.connection.compact()
        try store.connection.leaveWriteAheadLog()
    }

    // MARK: - Room (`RecordingRetention`)

    /// Removes every recording for a hand-over, with the files that the log does not know, and logs each; however full
    /// the disk is. Can be repeated where it was interrupted.
    func removeAllRecordings(_ unlogged: [UnloggedFile], of enrolment: String, at stamp: EventStamp) throws {
        try recordingRetention.removeAll(unlogged, of: enrolment, at: stamp)
    }

    /// Removes what `policy` does not keep, after recording it in the log. Returns what was
    /// removed.
    @discardableResult
    package func applyRetention(_ policy: RetentionPolicy, at stamp: EventStamp) throws -> [RetentionPolicy.Removal] {
        try recordingRetention.applyRetention(policy, at: stamp, capFault: &capFault)
    }

    package func makeRoom(_ policy: RetentionPolicy, at stamp: EventStamp) {
        recordingRetention.makeRoom(policy, at: stamp, capFault: &capFault)
    }

    /// Returns when everything that was written without a flush survives a power cut;
    /// see `finishUpload`.
    package func flush() throws { try log.flush() }

    // MARK: - Damage (`OpenStore`)

    /// How the store is doing, asked now and then. What has waited for a flush for `patience` since
    /// this first saw it is flushed.
    package func condition(flushingAfter patience: Duration, at now: MonotonicTime) -> StoreCondition {
        StoreCondition(
            memoryOnlyReason: store.memoryOnlyReason, headFault: store.headFault,
            flushFault: flushWatch.flush(log, after: patience, at: now), capFault: capFault)
    }

    /// Every damage that the log tells of, oldest first.
    package func salvages() throws -> [SalvageRecord] { try log.salvages() }

    /// Why nothing reaches the disk; nil = it does.
    package var memoryOnlyReason: String? { store.memoryOnlyReason }
    /// True while a store that may not be used was left on the disk, and this one is in memory.
    package var leavesFile: Bool { store.leavesFile }
    /// Why the log's head could not be kept in its own file; nil = it was.
    package var headFault: String? { store.headFault }

    package func scanForDamage(_ budget: Int) -> (problem: String?, isRoundOver: Bool) { store.scanForDamage(budget) }
    package func checkFiles(at stamp: EventStamp) -> String? { store.checkFiles(at: stamp) }
    package func repair(_ cause: String, at stamp: EventStamp) throws -> SalvageRecord? {
        try store.repair(cause, at: stamp)
    }

    /// Writes a store that is only in memory to the disk, as soon as that takes it. True when it is
    /// there.
    package func moveToDisk(at stamp: EventStamp) throws -> Bool {
        guard case .onDisk(let erased) = try store.moveToDisk(at: stamp) else { return false }
        // Answers that a participant had deleted meanwhile are still in the store on the disk.
        for row in erased {
            guard case .erased(_, let reason) = row.event else { continue }
            let enrolment = row.stamp.enrolment
            try eraseAnswers(of: enrolment.isEmpty ? nil : enrolment, reason: reason, at: row.stamp)
        }
        return true
    }

    /// Before the database at that path is put away: removes its log's head file and the stores that were set
    /// aside.
    package nonisolated static func forget(_ path: String) {
        let files = StoreFiles(path)
        unlink(files.head)
        files.removeSetAside()
    }
}
