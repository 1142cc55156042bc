// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import Lab
import SystemKit

/// What a Bridge server knows, for `BridgeRoutes`: accounts, sessions, and uploads with the bytes that were put
/// for them. A device calls `signIn`, then for each upload `ask`, `put` and `complete`.
///
/// What it does is what BridgeServer2 does (`AuthenticationService`, `UploadValidator`,
/// `UploadService.createUpload` and `uploadComplete`) and what S3 does
/// with a signed address: a PUT with a type or digest that was not asked for is 403, one with bytes
/// of another digest is 400.
actor BridgeAPI {
    /// Who may sign in: `bridge.json` of the folder.
    struct Accounts: Sendable {
        var appID = ""
        /// Passwords by external id.
        var passwords: [String: String] = [:]
        /// External ids of those who have not consented.
        var unconsented: Set<String> = []
        /// False: archives are taken and never said to be complete, to try out what a
        /// device makes of it.
        var completes = true

        init() {}

        /// Throws where the file cannot be read or is not of this form.
        init(folder: String) throws {
            let path = folder + "/bridge.json"
            func broken(_ what: String) -> FileError {
                FileError(
                    path: path, message: what,
                    remedy: #"write {"appId":"lab","accounts":[{"externalId":"p1","password":"..."}]}"#)
            }
            let value = try JSONReader.value(try BoundedFile.text(path))
            guard case .object = value else { throw broken("is not a JSON object") }
            guard let app = value["appId"]?.string else { throw broken("has no appId") }
            guard let accounts = value["accounts"]?.array else { throw broken("has no accounts") }
            appID = app
            if value["completes"]?.bool == false { completes = false }
            for account in accounts {
                guard case .object = account else { continue }
                guard let id = account["externalId"]?.string, let password = account["password"]?.string else {
                    throw broken("has an account without externalId and password")
                }
                passwords[id] = password
                if account["consented"]?.bool == false { unconsented.insert(id) }
            }
        }
    }

    /// One upload, kept in the file of its number.
    struct Upload: Sendable, Hashable {
        let id: String
        let account: String
        let length: Int
        let md5: String
        let contentType: String
        let isEncrypted: Bool
        let requested: Instant
        var expires: Instant
        /// Its bytes were put and are on the disk.
        var isThere = false
        var isComplete = false
    }

    struct Refusal: Error { let status: Int, message: String }

    /// Bytes of one upload: `UploadValidator.MAX_UPLOAD_SIZE`.
    static let largest = 50_000_000
    /// `UploadService.EXPIRATION`.
    private static let expiration = Duration.seconds(86_400)
    /// `DynamoUploadDedupeDao.NUM_DAYS_BEFORE`.
    private static let duplicateDays = 7

    private let accounts: Accounts
    private let directory: String
    private let newID: @Sendable () -> String
    /// External ids by session token.
    private var sessions: [String: String] = [:]
    private var uploads: [String: Upload] = [:]
    /// Ids in the order in which they were asked for, which numbers their files. Forgotten at a restart;
    /// the files are not.
    private var order: [String] = []
    /// The highest number of a file from before this start.
    private let lastNumber: Int
    /// How much an account may have here; nil = as much as it likes.
    private let quota: Quota?
    /// A database of files, each with its account and size, for the quota.
    private let owners: Connection

    /// Reads the accounts in `folder`; keeps archives in `directory`, which is made, and their accounts in
    /// `directory.sqlite`.
    init(_ folder: String, directory: String, quota: Quota? = nil, newID: @escaping @Sendable () -> String) throws {
        accounts = try Accounts(folder: folder)
        self.directory = directory
        self.quota = quota
        self.newID = newID
        try File.makeFolder(directory)
        owners = try Connection(.file(directory + ".sqlite"))
        try Schema(
            version: 1,
            """
            CREATE TABLE archive (file TEXT PRIMARY KEY, account TEXT NOT NULL, bytes INTEGER NOT NULL) STRICT;
            CREATE INDEX archiveByAccount ON archive (account);
            """
        ).prepare(owners)
        lastNumber = FolderListing.readable(directory).compactMap { Int($0.prefix { $0 != "." }) }.max() ?? 0
    }

    static let participantRows = ParticipantRows(
        "bridge.sqlite", names: ["archive": "account"], [.init("archive", "archive", where: "account = ?1")],
        files: { connection, account in
            try connection.rows("SELECT file FROM archive WHERE account = ?", account) { try $0.string(0) }.flatMap {
                ["bridge/\($0)", "bridge/\($0).new"]
            }
        },
        sizes: { connection in
            let rows = try connection.rows("SELECT file, bytes FROM archive") {
                ("bridge/\(try $0.string(0))", try $0.int(1))
            }
            return Dictionary(rows) { first, _ in first }
        },
        isOfAccounts: true)

    // MARK: - Calls

    /// `POST /v4/auth/signIn`: the token, and whether the account consented. A session before ends.
    func signIn(_ body: [String: JSONValue]) throws -> (token: String, isConsented: Bool) {
        guard case .string(accounts.appID)? = body["appId"] else {
            throw Refusal(status: 404, message: "App not found.")
        }
        guard case .string(let id)? = body["externalId"], case .string(let password)? = body["password"],
            accounts.passwords[id] == password
        else { throw Refusal(status: 404, message: "Account not found.") }
        for (token, account) in sessions where account == id { sessions[token] = nil }
        let token = newID()
        sessions[token] = id
        return (token, !accounts.unconsented.contains(id))
    }

    /// `POST /v3/uploads`: a new upload, or the one that was asked for with the same bytes and
    /// is not complete.
    func ask(_ body: [String: JSONValue], session: String?, at now: Instant) throws -> Upload {
        let account = try consented(session)
        func text(_ name: String) -> String { if case .string(let text)? = body[name] { text } else { "" } }
        guard let length = Int(exactly: body["contentLength"]?.double ?? 0), (1...Self.largest).contains(length),
            !text("name").isEmpty, !text("contentType").isEmpty, Base64.decoded(text("contentMd5"))?.count == 16
        else { throw Refusal(status: 400, message: "UploadRequest is invalid") }
        // The same bytes within the last days: that upload continues.
        let since = now - .seconds(Self.duplicateDays * 86_400)
        let before = order.compactMap { uploads[$0] }.first {
            $0.account == account && $0.md5 == text("contentMd5") && $0.requested >= since && !$0.isComplete
        }
        if var before {
            before.expires = now + Self.expiration
            uploads[before.id] = before
            return before
        }
        try admit(length, of: account)
        let isEncrypted = if case .boolean(false)? = body["encrypted"] { false } else { true }
        let upload = Upload(
            id: newID(), account: account, length: length, md5: text("contentMd5"),
            contentType: text("contentType"), isEncrypted: isEncrypted, requested: now, expires: now + Self.expiration)
        uploads[upload.id] = upload
        order.append(upload.id)
        return upload
    }

    /// The storage's PUT: everything that was signed has to be as it was asked for.
    func put(_ bytes: [UInt8], to id: String, type: String?, md5: String?, at now: Instant) throws {
        guard var upload = uploads[id], now < upload.expires else {
            throw Refusal(status: 403, message: "AccessDenied: Request has expired")
        }
        guard type == upload.contentType, md5 == upload.md5 else {
            throw Refusal(
                status: 403, message: "SignatureDoesNotMatch: Content-Type or Content-MD5 is not what was signed")
        }
        guard bytes.count == upload.length else {
            throw Refusal(status: 400, message: "IncompleteBody: \(bytes.count) bytes, \(upload.length) were asked for")
        }
        guard let digest = try? ContentMD5.of(bytes), Base64.encoded(digest) == upload.md5 else {
            throw Refusal(
                status: 400, message: "BadDigest: The Content-MD5 you specified did not match what we received")
        }
        if !upload.isThere { try admit(upload.length, of: upload.account) }
        let file = file(of: upload)
        guard (try? AtomicFile.write(bytes, to: "\(directory)/\(file)", mode: 0o600)) != nil else {
            throw Refusal(status: 503, message: "SlowDown: the disk does not take it")
        }
        try owners.run("INSERT OR REPLACE INTO archive VALUES (?, ?, ?)", file, upload.account, Int64(upload.length))
        upload.isThere = true
        uploads[id] = upload
    }

    /// `POST /v3/uploads/:id/complete`: 404 where nothing was put; a second time nothing happens.
    func complete(_ id: String, session: String?) throws {
        guard var upload = uploads[id] else { throw Refusal(status: 404, message: "Upload ID \(id) not found") }
        let account = try consented(session)
        guard account == upload.account else {
            throw Refusal(status: 403, message: "Caller does not have permission to access this service.")
        }
        guard accounts.completes else { throw Refusal(status: 503, message: "Service unavailable") }
        guard upload.isThere else { throw Refusal(status: 404, message: "Not Found (Service: Amazon S3)") }
        upload.isComplete = true
        uploads[id] = upload
    }

    private func file(of upload: Upload) -> String {
        let place = order.firstIndex(of: upload.id).map { $0 + 1 } ?? 0
        return "\(lastNumber + place).zip" + (upload.isEncrypted ? ".cms" : "")
    }

    /// Throws where that many more bytes would exceed the account's quota. Counted are its archives that are
    /// still on the disk; what was asked for and never put is not.
    private func admit(_ bytes: Int, of account: String) throws {
        guard let quota else { return }
        let kept = try owners.rows("SELECT file, bytes FROM archive WHERE account = ?", account) {
            (file: try $0.string(0), bytes: try $0.int(1))
        }
        let used = kept.reduce(Int64(0)) { sum, archive in
            access("\(directory)/\(archive.file)", F_OK) == 0 ? sum + archive.bytes : sum
        }
        try quota.check(Int64(bytes), beside: used, of: "account", quota.perDevice)
    }

    /// The account of the session; throws where there is none, or it has not consented.
    private func consented(_ session: String?) throws -> String {
        guard let session, let account = sessions[session] else {
            throw Refusal(status: 401, message: "Not signed in.")
        }
        guard !accounts.unconsented.contains(account) else {
            throw Refusal(status: 412, message: "Consent is required before signing in.")
        }
        return account
    }
}
