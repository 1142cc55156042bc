// SPDX-License-Identifier: Apache-2.0

/// Routes for people and scripts of the lab, behind the token where there is one.
package struct Guarded: Sendable {
    /// Nil = open to all.
    let token: AccessToken?

    /// The same handler behind the token: 401 without it, which makes a browser ask for it.
    package func callAsFunction(_ handler: @escaping Router.Handler) -> Router.Handler {
        guard let token else { return handler }
        return { request in
            guard token.admits(request.fields["authorization"]) else {
                throw HTTPFailure(
                    401, "give the token as the password, or as `Authorization: Bearer TOKEN`",
                    fields: ["WWW-Authenticate": "Basic realm=\"study-receiver\", charset=\"UTF-8\""])
            }
            return try await handler(request)
        }
    }
}
