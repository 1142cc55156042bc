// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// A drawing of a recording that has arrived, at `/files/:id/preview`: that of
/// `studyd-tools plot`, which runs once for each file, one at a time; `?day=2026-11-25&at=10:03`
/// draws that minute of the participant's clock. Without `studyd-tools` beside this program there
/// are none.
struct PreviewRoutes: Sendable {
    private let archive: Archive
    private let folder: UploadFolder
    /// Where drawings are kept; they can be made again.
    private let drawings: String
    /// The program that draws; nil where there is none.
    private let program: String?
    /// The thread that draws; a drawing may take a minute.
    private let queue = SerialQueue()
    private static let limit: Duration = .seconds(60)
    /// In bytes; larger recordings are not drawn here.
    private static let largest: Int64 = 500_000_000
    private static let largestMinute = 8 << 20
    /// What can be drawn, by ending.
    private static let endings = [".cwa", ".flac", ".nmea", ".csv", ".csv.gz", ".nmea.gz"]

    init(archive: Archive, folder: UploadFolder, directory: String) throws {
        self.archive = archive
        self.folder = folder
        drawings = directory + "/previews"
        program = Self.beside()
        try File.makeFolder(drawings)
    }

    /// Where drawings of that upload may lie, also after a crash; paths in the folder.
    static func places(of number: Int64) -> [String] { ["", ".svg", "-minute.svg"].map { "previews/\(number)\($0)" } }

    func draws(_ upload: Upload) -> Bool {
        program != nil && upload.sha256 != nil && upload.length <= Self.largest
            && Self.endings.contains(where: upload.name.hasSuffix)
    }

    func addRoutes(to router: inout Router, _ guarded: Guarded) {
        let drawing: Router.Handler = { request in
            let content = try await self.drawing(Int64(request.parameters["id"] ?? ""), of: LabQuery(request))
            return HTTPResponse(
                200,
                fields: [
                    "Content-Type": "image/svg+xml", "X-Content-Type-Options": "nosniff",
                    "Cache-Control": "private, no-cache",
                    // A picture, never a page with scripts.
                    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
                ], content: content)
        }
        router.on("GET", "/files/:id/preview", handler: guarded(drawing))
    }

    private func drawing(_ number: Int64?, of query: LabQuery) async throws -> HTTPResponse.Content {
        guard let number, let upload = try await archive.upload(number: number),
            draws(upload), let program, let path = await folder.path(upload)
        else { throw HTTPFailure(404, "no drawing of that file") }
        let description = try await description(of: upload)
        if let day = query.day, let minute = query.minute {
            let picture = drawings + "/\(number)-minute.svg"
            let words = ["--at", "\(day)T\(LabQuery.clock(minute))"]
            let drawn = try await queue.run {
                defer { unlink(picture) }
                try draw(upload, path, description, picture, program, words)
                // There are too many minutes to keep the drawings of.
                return try BoundedFile.read(picture, limit: Self.largestMinute)
            }
            return .bytes(drawn)
        }
        let picture = drawings + "/\(number).svg"
        try await queue.run {
            if access(picture, R_OK) != 0 { try draw(upload, path, description, picture, program, []) }
        }
        return .file(path: picture)
    }

    /// Name and path of the recording's description, from which `plot` takes its clock and its losses.
    private func description(of upload: Upload) async throws -> (name: String, path: String)? {
        let name = String(upload.name.prefix { $0 != "." }) + ".json"
        guard let found = try await archive.file(named: name, beside: upload), let path = await folder.path(found)
        else { return nil }
        return (name, path)
    }

    /// A track of positions is drawn as a whole only, never a minute of it.
    static func isTrack(_ name: String) -> Bool { name.hasSuffix(".nmea") || name.hasSuffix(".nmea.gz") }

    /// Draws the recording by a link with its own name, which the drawing shows, beside one to its
    /// description; both are removed afterwards.
    private func draw(
        _ upload: Upload, _ path: String, _ description: (name: String, path: String)?, _ picture: String,
        _ program: String, _ words: [String]
    ) throws {
        let place = drawings + "/\(upload.number)"
        try File.makeFolder(place)
        let named = place + "/" + UploadFolder.safe(upload.name)
        let links = [(named, path)] + (description.map { [(place + "/" + UploadFolder.safe($0.name), $0.path)] } ?? [])
        defer {
            for link in links { unlink(link.0) }
            rmdir(place)
        }
        for (link, path) in links {
            unlink(link)
            guard symlink(File.realPath(path) ?? path, link) == 0 else {
                throw HTTPFailure(500, "cannot draw: \(String(cString: strerror(errno)))")
            }
        }
        let run = BoundedProgram(name: program, arguments: ["plot", named, "-o", picture] + words)
        let ended = try? run.run(input: [], limit: Self.limit)
        guard ended?.status == 0, access(picture, R_OK) == 0 else {
            throw HTTPFailure(404, "no drawing: \(ended?.output.prefix(200) ?? "it took too long")")
        }
    }

    /// `studyd-tools` in the folder of this program.
    private static func beside() -> String? {
        guard let own = File.realPath("/proc/self/exe") else { return nil }
        let path = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/studyd-tools"
        return access(String(path), X_OK) == 0 ? String(path) : nil
    }
}
