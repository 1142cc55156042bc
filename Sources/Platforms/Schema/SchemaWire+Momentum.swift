// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// What momenTUM's server is told otherwise than schema's.
///
/// Source: momenTUM-app e14a806, `src/app/services/data/data.service.ts`; its server takes the
/// fields in any order (momenTUM-json-maker db3f215, `api/src/redcap.rs`, `struct Response`
/// and `struct Log`).
extension SchemaWire {
    /// The dialect's name in a study.
    static let momentum = "momentum"

    func isMomentum(_ context: WireContext) -> Bool { context.study.dialect == Self.momentum }

    /// The app puts a slash and the name behind whatever the study has as its address.
    func address(_ context: WireContext, _ name: String) -> String {
        let base = context.postURL ?? context.study.postURL ?? ""
        return base.isEmpty || !isMomentum(context) ? base : base + "/" + name
    }

    /// Where a log goes. momenTUM's server of 2023 reads its fields in the form, that of 2025
    /// in the address, and neither minds the other: FastAPI makes parameters of the address of
    /// the model in `save_log(log: LogEntry = Depends())`, and its other `/log`, which reads
    /// JSON, is not included in its `main.py` (momenTUM-designer 513e871,
    /// `backend/routers/redcap.py`, `logs.py`).
    ///
    /// That of 2025 answers below `/api/v2`, and has its log beside the answers' second place,
    /// `/redcap/response` (`main.py`).
    func logAddress(_ fields: Fields, in context: WireContext) -> String {
        let isLater = (context.postURL ?? context.study.postURL ?? "").hasSuffix("/api/v2")
        let address = address(context, isLater ? "redcap/log" : "log")
        guard isMomentum(context), !address.isEmpty else { return address }
        return address + "?" + fields.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    /// A log of momenTUM is taken by 204 too, which schema's app would not believe
    /// (`backend/routers/redcap.py`, HTTP_204_NO_CONTENT).
    package func verdict(status: Int, body: [UInt8], to request: WireRequest) -> Verdict {
        guard status == 204, body.isEmpty, request.url.contains("/log?data_type=log&") else {
            return verdict(status: status, body: body)
        }
        return .delivered(receipt: "204")
    }

    /// Percent-encoded but for what RFC 3986 leaves as it is.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || scalar == "-" || scalar == "." || scalar == "_" || scalar == "~"
            return isPlain ? String(scalar) : "%" + byte.padded(2, radix: 16).uppercased()
        }.joined()
    }

    /// The app's own name for a module's results.
    func dataType(_ task: StudyTask?) -> String {
        guard case .questionnaire(let questionnaire)? = task?.content,
            case .active(let active)? = questionnaire.steps.first?.format, active.rules is VigilanceRules
        else { return "survey_response" }
        return "pvt_response"
    }
}
