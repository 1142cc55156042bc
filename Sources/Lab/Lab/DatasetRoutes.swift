// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// The dataset of a study as a zip, at `/dataset.zip`: what `study-receiver export` writes in a
/// separate process, sent while it is written. `user`, `study`, `day` and `days` are
/// those of the page; `recordings=1` adds the recordings and what they say minute by minute.
struct DatasetRoutes: Sendable {
    private let directory: String
    private let program: String
    private let clock: any StudyClock
    private let report: @Sendable (String) -> Void
    private let running = ExportCount()

    /// `program` nil = this one.
    init(directory: String, program: String?, clock: any StudyClock, report: @escaping @Sendable (String) -> Void) {
        (self.directory, self.clock, self.report) = (directory, clock, report)
        self.program = program ?? File.realPath("/proc/self/exe") ?? "study-receiver"
        // Removes what a power cut left of earlier downloads.
        FolderRemoval.remove(Self.folder(directory))
    }

    func addRoutes(to router: inout Router, _ guarded: Guarded) {
        let download: Router.Handler = { request in
            let query = try LabQuery(request)
            let words = try Self.options(query, request, now: clock.now)
            // An export takes long and must not be in the way of what devices send.
            let command = ["nice", "-n", "10", program, "export", "--data", directory, "-o", "-", "--with-holes"]
            return HTTPResponse(
                200,
                fields: [
                    "Content-Type": "application/zip", "X-Content-Type-Options": "nosniff",
                    "Cache-Control": "no-store",
                    "Content-Disposition": "attachment; filename=\"\(Self.name(query))\"",
                ],
                content: .stream(
                    RunningExport(
                        command + words, folder: Self.folder(directory), count: running, report: report)))
        }
        router.on("GET", "/dataset.zip", handler: guarded(download))
    }

    /// Options of the command. Values follow `=`, where none can pass for an option.
    static func options(_ query: LabQuery, _ request: HTTPRequest, now: Instant) throws(HTTPFailure) -> [String] {
        // The page shows the usual days where the address names none; a dataset is then of all.
        let isNamed = request.queryItem("days").map { !$0.isEmpty } ?? false
        let (from, until) = isNamed ? query.span(at: now) : query.datasetSpan(at: now)
        let recordings = request.queryItem("recordings") ?? "0"
        guard ["0", "1"].contains(recordings) else { throw HTTPFailure(400, "recordings has to be 0 or 1") }
        let values = [
            ("--study", query.study), ("--participant", query.user), ("--from", from?.description),
            ("--until", until?.description),
        ]
        return values.compactMap { name, value in value.map { "\(name)=\($0)" } }
            + (recordings == "1" ? [] : ["--without-recordings"])
    }

    private static func name(_ query: LabQuery) -> String {
        let parts = [query.study, query.user, query.day?.description].compactMap(\.self)
        return UploadFolder.safe(parts.isEmpty ? "dataset" : parts.joined(separator: "-")) + ".zip"
    }

    private static func folder(_ directory: String) -> String { directory + "/downloads" }
}
