// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Judges what the servers of schema and momenTUM answer, for `HTTPDestination`: delivered, refused, or to be
/// sent again.
package struct SchemaWire: StudyWire {
    /// Each response of momenTUM has this field, none of schema does; the `post_url` of either may end in `/response`.
    private static let momentumField = Array("name=\"module_id\"".utf8)

    package init() {}

    /// Delivered with exactly 200, or with the 202 of momenTUM's later server (momenTUM-designer
    /// 513e871, `backend/routers/responses.py`), whatever the body says, unless it is literally
    /// `false`: the upstream sample script answers `1` where the README promises `true`. Everything
    /// else is tried again for ever, as by the app.
    package func verdict(status: Int, body: [UInt8]) -> Verdict {
        guard status == 200 || status == 202 else {
            return .retry(reason: "the server answered with status \(status), not 200\(Self.words(body))")
        }
        let text = String(decoding: body.prefix(200), as: UTF8.self)
        if text.split(whereSeparator: \.isWhitespace) == ["false"] {
            return .retry(reason: "the server answered \"false\": not stored")
        }
        return .delivered(receipt: "\(status) " + text)
    }

    /// As above, except for two answers of momenTUM's servers.
    ///
    /// A log is delivered with 204, too, which schema's app would try again (`backend/routers/redcap.py`,
    /// HTTP_204_NO_CONTENT). A response of momenTUM is refused with 400 or 422, since a retry cannot succeed or does
    /// harm: the server of 2023 answers 400 to ticked options of a modal list, and also where it has stored the
    /// response and REDCap answers with an error; each retry would store it once more (momenTUM-json-maker db3f215,
    /// `api/src/redcap.rs`, `import_response`). The server of 2025 answers 422 to fields that it does not know.
    package func verdict(status: Int, body: [UInt8], to request: WireRequest) -> Verdict {
        if status == 400 || status == 422, request.body.firstRange(of: Self.momentumField) != nil {
            return .refused(reason: "the server answered with status \(status)\(Self.words(body))")
        }
        guard status == 204, body.isEmpty, request.url.contains("/log?data_type=log&") else {
            return verdict(status: status, body: body)
        }
        return .delivered(receipt: "204")
    }

    /// What the server says of a failure, to follow its status; empty where it says nothing, or sends a page.
    private static func words(_ body: [UInt8]) -> String {
        let said = String(decoding: body.prefix(200), as: UTF8.self).oneLine(200)
        return said.isEmpty || said.hasPrefix("<") ? "" : ": \(said)"
    }
}
