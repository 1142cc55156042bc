// SPDX-License-Identifier: Apache-2.0
import StudyFormats
import StudyModel

/// What `studyd enroll` was asked for, before anything is known about the study.
public struct EnrolmentRequest: Sendable {
    /// A file, a folder, an address; with a token the base of a study metadata server of FDA MyStudies.
    public var source: String
    /// The platform, instead of what the source looks like.
    public var platform: StudyPlatform?
    /// An enrolment token of FDA MyStudies.
    public var token: String?
    /// The study there; nil = the token's.
    public var study: String?
    /// The text of a consent file, with its path.
    public var consent: (bytes: [UInt8], file: String)?
    /// The pseudonym; nil = drawn, or the platform's.
    public var participant: String?
    /// From which the draws follow; nil = random.
    public var seed: UInt64?
    /// What `timeout_after` of schema counts; nil = by its size.
    public var timeouts: StudyOptions.Timeouts?
    /// Where records go; nil = as the study says.
    public var postURL: String?
    /// Enrols though sounds cannot be played.
    public var allowsSilence = false
    /// Sends momenTUM's server what schema's app logs.
    public var sendsMomentumLogs = false

    /// A request for that source.
    public init(source: String) { self.source = source }

    /// Fetches and reads the study; blocks. Nothing that cannot be taken back is done: a token is used up by `Enroller`, after the
    /// board has been found able.
    public func wish(_ settings: MyStudiesSettings?) throws -> Enroller.Wish {
        let consent = try consent.map { try ConsentRecord(parsing: $0.bytes, file: $0.file) }
        guard token != nil || study != nil else {
            // Only folders are studies of FDA MyStudies; a single file of another platform stays as it is.
            var options = StudyBundle.isFolder(source) ? settings?.options ?? StudyOptions() : StudyOptions()
            options.timeouts = timeouts
            options.sendsMomentumLogs = sendsMomentumLogs
            let loaded = try LoadedStudy.load(source, platform: platform, options: options)
            var wish = Enroller.Wish(loaded: loaded, participant: participant, seed: seed, postURL: postURL)
            wish.consent = consent
            wish.allowsSilence = allowsSilence
            return wish
        }
        guard let settings else {
            throw MyStudiesServerError("the configuration has no [mystudies] table; docs/studyd.toml shows it")
        }
        let checked = try token.map { text in
            guard let token = EnrolmentToken(text) else {
                throw MyStudiesServerError(
                    "the token's letters do not fit each other: one of them is wrong; nothing was sent")
            }
            return token
        }
        return try wish(MyStudiesServer(settings), settings, checked, consent)
    }

    private func wish(
        _ server: MyStudiesServer, _ settings: MyStudiesSettings, _ token: EnrolmentToken?, _ consent: ConsentRecord?
    ) throws -> Enroller.Wish {
        let study = try self.study ?? token.map { try server.study(of: $0) } ?? ""
        let entry = try server.entry(of: study, at: source)
        try server.refuseClosed(entry, study: study)
        try server.refuseOutdated(consent, study: study, at: source)
        let bundle = StudyBundle.bytes(
            try server.files(of: study, at: source, entry: entry), options: settings.options)
        let loaded = try LoadedStudy(bundle, origin: source, platform: .mystudies)
        let properties = try token.map { try server.validate($0, study: study) } ?? [:]
        var wish = Enroller.Wish(
            loaded: loaded, participant: participant, seed: seed,
            postURL: postURL ?? settings.address(of: "processResponse"))
        wish.consent = consent
        wish.variables = MyStudiesRows.values(
            of: loaded.study.serverVariables, properties: properties, server: try SystemZone.load(settings.zone))
        wish.join = { try server.enroll(token, study: study, sharing: consent?.sharing ?? "NA") }
        return wish
    }
}
