// SPDX-License-Identifier: Apache-2.0
import Base
import Dataset
import SystemKit

/// The lab server, put together: what `study-receiver` runs and its tests start in
/// their own process.
struct Receiver: Sendable {
    struct Options: Sendable {
        /// Where everything is kept; made when missing.
        var directory: String
        var studies: [String] = []
        /// Answers POST for a protocol file with 405.
        var refusesPost = false
        /// Serves protocol files with the address for answers that they have, instead
        /// of this server's.
        var keepsPostURL = false
        /// Addresses of proxies that are trusted to name the client of a request.
        var proxies: [String] = []
        /// Which platforms' servers are played.
        var standIns: (any StandInChoice)?
        /// The fault in force from the start.
        var fault: Fault?
        /// Asked for before page, data and control; nil = not asked for.
        var token: AccessToken?
        /// Asked for before anything is changed; nil = who may read may change.
        var changeToken: AccessToken?
        /// The names of this server, in addition to `localhost` and addresses.
        var names: [String] = []
        /// Origins of pages from elsewhere that may send here.
        var origins: [String] = []
        /// Programs on other machines can reach it.
        var isExposed = false
        /// Bytes that one device may have here.
        var deviceQuota: Int64 = 64 << 30
        /// Bytes that stay free on the disk, but no more than a twentieth of it.
        var freeSpace: Int64 = 1 << 30
        /// How long an upload is kept that is not continued.
        var uploadRetention: Duration = .seconds(7 * 86_400)
        var deviceKeys = DeviceKeyMode.off
        /// The version that every device ought to have; nil = the newest that was seen.
        var expectedVersion: String?
        /// Gets a notice of what begins or ends to need attention; nil = nothing does.
        var webhook: Webhook?
        /// A file for the node exporter of Prometheus.
        var metricsFile: String?
        /// Options that name the data to another command; empty = its directory.
        var data: [String] = []
        /// The program that writes datasets; nil = this one.
        var exporter: String?
    }

    /// The fault in force and the answer to schema posts.
    private let faults: Faults
    /// The server, ready to run.
    let server: HTTPServer
    /// Looks at the fleet while the server runs.
    let fleet: FleetService
    private let lock: FolderLock

    /// Opens the data. `draw` gives numbers in 0..<1, `newID` ids that cannot be guessed.
    init(
        _ options: Options, clock: any StudyClock, draw: @escaping @Sendable () -> Double,
        newID: @escaping @Sendable () -> String, report: @escaping @Sendable (String) -> Void
    ) throws {
        try File.makeFolder(options.directory)
        lock = try FolderLock(
            options.directory + "/lock", of: options.directory,
            taken: "another study-receiver is running with this data folder",
            remedy: "stop it first, or use another folder with --data, for a bucket or stick with --cache")
        try Restore.checkFinished(options.directory)
        // The data, and who may send and see it.
        let archive = try Archive(.file("\(options.directory)/receiver.sqlite"))
        let keys = try DeviceKeys(.file("\(options.directory)/devices.sqlite"))
        let signatures = SignatureCheck(clock: clock, secret: Array((newID() + newID()).utf8))
        let register = try LabRegister(.file("\(options.directory)/lab.sqlite"))
        let devices = DeviceGate(
            keys: keys, register: register, archive: archive, mode: options.deviceKeys, clock: clock,
            signatures: signatures)
        let quota = Quota(
            archive: archive, directory: options.directory, perDevice: options.deviceQuota, free: options.freeSpace,
            keys: options.deviceKeys == .off ? nil : keys)
        let folder = try UploadFolder(options.directory, archive, quota: quota, retention: options.uploadRetention)
        let gate = HostGate(names: options.names, origins: options.origins)
        let guarded = Guarded(token: options.token, changeToken: options.changeToken)
        faults = Faults(options.fault, clock: clock, draw: draw)
        let heads = try LogHeads(.file("\(options.directory)/log-heads.sqlite"))
        var router = Router()
        router.gate = { request throws(HTTPFailure) in
            try gate.check(request)
            // Requests with something to be stored.
            if ["POST", "PATCH", "PUT"].contains(request.method) { try quota.checkDisk() }
        }
        router.signature = { signatures.signature(of: $0) }
        // Before all other routes: it sees the requests of those that are added after it.
        LogRoutes(heads: heads, gate: devices, key: try ReceiverKey(in: options.directory), clock: clock)
            .addRoutes(to: &router, guarded)
        // What devices ask for and send.
        let studies = StudyRoutes(
            paths: options.studies, refusesPost: options.refusesPost, keepsPostURL: options.keepsPostURL,
            keep: { [directory = options.directory] in KeptStudies.keep([$0], in: directory, report: report) })
        let reports = try FleetArchive(.file("\(options.directory)/fleet.sqlite"))
        SchemaRoutes(archive: archive, faults: faults, clock: clock, quota: quota, fleet: reports, gate: devices)
            .addRoutes(to: &router)
        TusRoutes(
            archive: archive, folder: folder, faults: faults, clock: clock, newID: newID, quota: quota, gate: devices
        ).addRoutes(to: &router)
        let watch = try FleetWatch(
            .file("\(options.directory)/fleet-watch.sqlite"), archive: reports, keys: keys,
            limitsFile: options.directory + "/limits.toml", expectedVersion: options.expectedVersion,
            makesNotices: options.webhook != nil, since: clock.now, report: report)
        fleet = FleetService(
            watch: watch, webhook: options.webhook, metricsFile: options.metricsFile, clock: clock, report: report)
        let fleetRoutes = FleetRoutes(
            fleet: reports, watch: watch, archive: archive, gate: devices, quota: quota, faults: faults, clock: clock,
            manifests: ManifestFolder(options.directory), directory: options.directory)
        fleetRoutes.addRoutes(to: &router, guarded)
        studies.addRoutes(to: &router, faults)
        let parts = StandInParts(
            archive: archive, quota: quota, faults: faults, clock: clock, directory: options.directory, newID: newID,
            report: report, isRevoked: devices.isClosed, notePosted: { try await reports.notePosted($0) })
        try SageRoutes(parts, gate: devices).addRoutes(to: &router)
        let standIns = try options.standIns?.open(parts) ?? []
        for standIn in standIns { standIn.addRoutes(to: &router, guarded) }
        faults.addRoutes(to: &router, guarded, register)
        // What people and scripts of the lab see and change.
        let blinding = LabBlinding(options.directory)
        DataRoutes(archive: archive, folder: folder, heads: heads, blinding: blinding, clock: clock)
            .addRoutes(to: &router, guarded)
        DatasetRoutes(directory: options.directory, program: options.exporter, clock: clock, report: report)
            .addRoutes(to: &router, guarded)
        let previews = try PreviewRoutes(archive: archive, folder: folder, directory: options.directory)
        previews.addRoutes(to: &router, guarded)
        let participants = Participants(
            archive: archive, fleet: fleetRoutes, heads: heads, register: register, blinding: blinding)
        let descriptions = DescriptionIndex(archive: archive, folder: folder)
        ChangeRoutes(register: register, keys: keys, clock: clock).addRoutes(to: &router, guarded)
        let wear = WearIndex(archive: archive, folder: folder)
        LabTables(participants: participants, descriptions: descriptions, wear: wear, clock: clock)
            .addRoutes(to: &router, guarded)
        PageRoutes(
            participants: participants, faults: faults, clock: clock, studies: studies.files.keys.sorted(),
            standIns: standIns, keys: keys, descriptions: descriptions, previews: previews,
            wear: wear, data: options.data.isEmpty ? ["--data", options.directory] : options.data,
            isOpen: options.isExposed && options.token == nil
        ).addRoutes(to: &router, guarded)
        server = HTTPServer(router, proxies: TrustedProxies(options.proxies), clock: clock, report: report)
    }

    /// Serves, and looks at the fleet, until the server is stopped.
    func run(host: String, port: Int, started: @Sendable (Int) async -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await fleet.run() }
            defer { tasks.cancelAll() }
            try await server.run(host: host, port: port, started: started)
        }
    }
}
