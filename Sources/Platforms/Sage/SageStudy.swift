// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What archives and their delivery need of a study in addition to its tasks, from `study.toml`. `SageDecoder`
/// reads it for `SageWriter`.
struct SageStudy: Sendable, Hashable {
    /// The app that results name as their origin; Bridge filters by name and version.
    var appName = "studyd"
    var appVersion = "version \(ProgramVersion.text), build 1"
    /// The study's certificate (PEM), to which archives are encrypted; nil = they are not.
    var certificate: String?
    /// The app at a Bridge server; nil = the destination takes an archive in one POST.
    var bridgeApp: String?
    /// Archives have the files of older clients, too: `info.json` and `answers.json`, which Bridge's
    /// exporter 2 requires.
    var writesInfo = true

    init() {}

    init(_ settings: JSONPlace?, _ findings: inout Findings) {
        guard let settings else { return }
        let name = findings.text("app_name", in: settings)
        if !name.isEmpty { appName = name }
        let version = findings.text("app_version", in: settings)
        if !version.isEmpty { appVersion = version }
        let app = findings.text("app_id", in: settings)
        if !app.isEmpty { bridgeApp = app }
        if settings.member("info") != nil { writesInfo = findings.flag("info", in: settings) }
        guard let place = settings.member("certificate") else { return }
        let text = place.text ?? ""
        guard Self.isCertificate(text) else {
            findings.expected("an X.509 certificate in PEM, from BEGIN CERTIFICATE to END CERTIFICATE", at: place)
            return
        }
        certificate = text
    }

    /// Whether it is a certificate in form: base 64 of a DER sequence between its two lines.
    /// Whether a key can be taken out of it is found out where archives are encrypted.
    private static func isCertificate(_ text: String) -> Bool {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.filter { $0 != " " && $0 != "\r" } }
        guard let first = lines.firstIndex(of: "-----BEGINCERTIFICATE-----"),
            let last = lines.firstIndex(of: "-----ENDCERTIFICATE-----"), first + 1 < last
        else { return false }
        let digits = lines[(first + 1)..<last].joined()
        // A sequence of more than 255 bytes begins with 30 82: `MII` in base 64.
        return digits.hasPrefix("MII") && digits.utf8.count > 300
            && digits.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 43 || $0 == 47
                    || $0 == 61
            }
    }
}
