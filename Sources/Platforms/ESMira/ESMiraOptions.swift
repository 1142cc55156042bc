// SPDX-License-Identifier: Apache-2.0
import Study

/// What can be chosen on the command line for studies of ESMira; `ESMiraPlatform` lists it. What was chosen,
/// and the server, are kept with the study.
enum ESMiraOptions {
    static let accessKey = PlatformOption(
        "access-key", value: "key", .enrolling, help: "ESMira: the study's access key.")
    private static let language = PlatformOption(
        "study-language", value: "code", .enrolling,
        help: "ESMira: the language to request the study in, e.g. de (default: en).")
    static let all = [accessKey, language]

    static func choices(_ arguments: PlatformArguments) throws -> StudyOptions {
        var options = StudyOptions()
        if let key = arguments[accessKey.name] {
            guard isKey(key) else {
                throw PlatformArgumentError(
                    "must be a letter followed by letters and digits (nothing was sent)", of: "--access-key \(key)",
                    remedy: "copy it from the study's QR code or invitation")
            }
            options.accessKey = key.lowercased()
        }
        if let code = arguments[language.name] {
            guard (2...3).contains(code.count), code.allSatisfy({ $0.isASCII && $0.isLetter }) else {
                throw PlatformArgumentError(
                    "not a language", of: "--study-language \(code)", remedy: "use two letters, e.g. de")
            }
            options.askedLanguage = code.lowercased()
        }
        return options
    }

    /// The rule by which the server accepts a key from its editor (`SaveStudy.php`, ESMira-web 3.5.1).
    static func isKey(_ text: String) -> Bool {
        text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            && text.first?.isLetter == true
    }
}

extension StudyOptions {
    /// ESMira: the key that opens the study; sent with every dataset.
    var accessKey: String? {
        get { self[text: "accessKey"] }
        set { self[text: "accessKey"] = newValue }
    }

    /// ESMira: the server's address up to the part before `api/`, with its slash.
    var serverAddress: String? {
        get { self[text: "server"] }
        set { self[text: "server"] = newValue }
    }

    /// ESMira: the language the study was asked for in.
    var askedLanguage: String? {
        get { self[text: "language"] }
        set { self[text: "language"] = newValue }
    }
}
