// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Base
import Glibc
import SystemKit

/// How a bucket is reached, for `study-receiver` itself and its commands `export` and `mirror`: as
/// `[[destination]]` of a device has it, or as the tools of Amazon have it in the environment.
struct BucketOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Address of the server that has the bucket (AWS_ENDPOINT_URL).", valueName: "url"))
    var s3URL: String?

    @Option(help: ArgumentHelp("Region of the bucket (AWS_REGION); us-east-1 if left out.", valueName: "name"))
    var s3Region: String?

    @Option(help: ArgumentHelp("path, or host as Amazon wants it.", valueName: "path|host"))
    var s3Addressing = "path"

    @Option(help: ArgumentHelp("Access key (AWS_ACCESS_KEY_ID).", valueName: "key"))
    var s3AccessKey: String?

    @Option(
        help: ArgumentHelp(
            "File with the secret key, which only its owner can read (AWS_SECRET_ACCESS_KEY).", valueName: "file"))
    var s3SecretKey: String?

    @Option(help: ArgumentHelp("File with the session token (AWS_SESSION_TOKEN).", valueName: "file"))
    var s3SessionToken: String?

    @Option(help: ArgumentHelp("Certificates that are trusted instead of the system's.", valueName: "file"))
    var s3CAFile: String?

    @Option(
        help: ArgumentHelp(
            "Folder into which a bucket or stick is fetched (default: one of its own in ~/.cache/study-receiver).",
            valueName: "dir"))
    var cache: String?

    /// Nil for the folder of a receiver or a device, which is read in place, and for what is no stick.
    func source(_ data: String, _ environment: [String: String], clock: any StudyClock) throws -> (any MirrorSource)? {
        guard data.hasPrefix("s3://") else {
            let isFolder = ["receiver.sqlite", "studyd.sqlite"].contains { access("\(data)/\($0)", F_OK) == 0 }
            return isFolder ? nil : StickFolder(data)
        }
        let region = s3Region ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? "us-east-1"
        let endpoint = s3URL ?? environment["AWS_ENDPOINT_URL"] ?? "https://s3.\(region).amazonaws.com"
        guard ["path", "host"].contains(s3Addressing) else {
            throw ValidationError("--s3-addressing \(s3Addressing): use path or host")
        }
        guard var place = S3Bucket.Place(data, endpoint: endpoint) else {
            throw ValidationError("\(data): use s3://BUCKET or s3://BUCKET/PREFIX")
        }
        (place.region, place.isHostStyle, place.authority) = (region, s3Addressing == "host", s3CAFile)
        guard let access = s3AccessKey ?? environment["AWS_ACCESS_KEY_ID"],
            let secret = try s3SecretKey.map(Self.secret) ?? environment["AWS_SECRET_ACCESS_KEY"]
        else {
            throw FileError(
                path: data, message: "there are no keys to read it",
                remedy: "give --s3-access-key and --s3-secret-key FILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
        }
        let session = try s3SessionToken.map(Self.secret) ?? environment["AWS_SESSION_TOKEN"]
        return S3Bucket(place, keys: .init(access: access, secret: secret, session: session), clock: clock)
    }

    /// `--data` and these options as they were given, for another command. What came from the environment
    /// is not among them.
    func words(_ data: String) -> [String] {
        let given: [(String, String?)] = [
            ("--s3-url", s3URL), ("--s3-region", s3Region),
            ("--s3-addressing", s3Addressing == "path" ? nil : s3Addressing), ("--s3-access-key", s3AccessKey),
            ("--s3-secret-key", s3SecretKey), ("--s3-session-token", s3SessionToken), ("--s3-ca-file", s3CAFile),
            ("--cache", cache),
        ]
        return ["--data", data] + given.flatMap { name, value in value.map { [name, $0] } ?? [] }
    }

    private static func secret(_ path: String) throws -> String {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw FileError(path: path, message: "is not there, or others can read it", remedy: "chmod 600 \(path)")
        }
        return String(try BoundedFile.text(path).prefix { !$0.isNewline })
    }

    /// The folder to read: `data` itself or, for a bucket or a stick, the cache, into which this fetches what
    /// is new.
    func folder(
        _ data: String, _ environment: [String: String], clock: any StudyClock, warn: (String) -> Void
    ) async throws -> String {
        guard let source = try source(data, environment, clock: clock) else { return data }
        return try await fetch(source, environment, warn: warn)
    }

    func fetch(
        _ source: any MirrorSource, _ environment: [String: String], warn: (String) -> Void
    ) async throws -> String {
        let folder = try cache ?? Self.ownCache(of: source.address, environment)
        let bar = ProgressBar(title: "fetching from \(source.name)")
        let outcome = try await Mirror(of: source, into: folder).run(progress: bar.show)
        bar.end()
        for problem in outcome.remarks + outcome.problems { warn(problem) }
        return folder
    }

    static func ownCache(of address: String, _ environment: [String: String]) throws -> String {
        // An empty or relative one counts as not set (XDG Base Directory Specification).
        let named = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let base = named ?? environment["HOME"].map({ $0 + "/.cache" }) else {
            throw ValidationError("neither XDG_CACHE_HOME nor HOME is set; use --cache DIR")
        }
        let digest = try Digest(ofText: address).description.prefix(12)
        return "\(base)/study-receiver/\(UploadFolder.safe(address))-\(digest)"
    }
}
