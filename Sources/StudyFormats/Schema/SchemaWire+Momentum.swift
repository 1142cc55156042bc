// SPDX-License-Identifier: Apache-2.0
import StudyModel

/// What momenTUM's server is told otherwise than schema's.
///
/// Source: momenTUM-app e14a806, `src/app/services/data/data.service.ts`; its server takes the fields in any order
/// (momenTUM-json-maker db3f215, `api/src/redcap.rs`, `struct Response` and `struct Log`).
extension SchemaWire {
    /// The app puts a slash and the name behind whatever the study has as its address.
    func address(_ context: WireContext, _ name: String) -> String {
        let base = context.postURL ?? context.study.postURL ?? ""
        return base.isEmpty || context.study.fork != .momentum ? base : base + "/" + name
    }

    /// The app's own name for a module's results.
    func dataType(_ task: StudyTask?) -> String {
        guard case .questionnaire(let questionnaire)? = task?.content,
            case .active(.vigilance)? = questionnaire.steps.first?.format
        else { return "survey_response" }
        return "pvt_response"
    }
}
